export { default } from './Servers.svelte'
