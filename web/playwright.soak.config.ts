import { defineConfig } from '@playwright/test'
import tests from './playwright.config'

/** The pages of a control room left alone for an hour: `cargo xtask bench soak`. Not one of the tests. */
export default defineConfig({
  ...tests,
  workers: 1,
  retries: 0,
  timeout: 0,
  projects: [
    { name: 'sign-in', testMatch: 'login.spec.ts' },
    { name: 'soak', testDir: './soak', testMatch: '*.spec.ts', dependencies: ['sign-in'] },
  ],
})
