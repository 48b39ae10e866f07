import js from '@eslint/js'
import svelte from 'eslint-plugin-svelte'
import globals from 'globals'
import ts from 'typescript-eslint'
import svelteConfig from './svelte.config.js'

// What a server wrote must never become markup: no {@html}, and no way of the browser's that reads a string as markup.
const markup = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'srcdoc', 'createContextualFragment']

export default ts.config(
  { ignores: ['dist/', 'node_modules/', 'src/api/wailsjs/', 'e2e/'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
  },
  {
    rules: {
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': 'error',
      'no-undef': 'off', // TypeScript knows better
      'no-eval': 'error',
      'no-control-regex': 'off', // control characters are what UntrustedText is about
      'no-restricted-properties': ['error', ...markup.map((property) => ({ property }))],
      'no-restricted-imports': ['error', { patterns: [{ group: ['**/wailsjs/**'], message: 'only lib/bound.ts and lib/told.ts know the bindings' }] }],
    },
  },
  { files: ['src/lib/bound.ts', 'src/lib/told.ts'], rules: { 'no-restricted-imports': 'off' } },
)
