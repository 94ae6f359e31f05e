import { defineConfig } from '@playwright/test'

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // What one page has compiled, the next one has too.
  '--process-per-site',
]

// One real login for each worker (SMS codes are limited to one a minute) serves all specs; signing out ends one, last of
// all. Tests go to whichever worker is free, those of a `describe.serial` together.
export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results',
  globalSetup: './e2e/stack.ts',
  // What must be fast is measured by benches: here only what never comes is a failure, on the slowest machine too.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  fullyParallel: true,
  workers: 4,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1366, height: 768 },
    screenshot: 'only-on-failure',
    // Nothing to wait for, and the system's setting for less motion is used at least here.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args },
  },
  projects: [
    { name: 'sign-in', testMatch: 'login.spec.ts', teardown: 'sign-out' },
    { name: 'pages', testIgnore: ['login.spec.ts', 'logout.spec.ts'], dependencies: ['sign-in'] },
    { name: 'sign-out', testMatch: 'logout.spec.ts' },
  ],
})
