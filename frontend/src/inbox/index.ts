export { default } from './Inbox.svelte'
