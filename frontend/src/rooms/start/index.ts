export { default } from './Start.svelte'
