export { default } from './Activity.svelte'
