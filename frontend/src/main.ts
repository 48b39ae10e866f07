import './lib/base.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { api, events } from './lib/bound'

const target = document.getElementById('app')
if (target) mount(App, { target, props: { api, events } })
