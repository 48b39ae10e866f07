import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

// The page runs under a policy without inline script, inline style or data: addresses, so nothing is inlined.
export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  base: './',
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, sourcemap: false },
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'], setupFiles: ['src/test/setup.ts'], css: false, testTimeout: 60_000 },
})
