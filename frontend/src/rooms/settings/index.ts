export { default } from './Settings.svelte'
