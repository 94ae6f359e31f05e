import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { beneath } from './scripts/beneath'
import { type Budget, firstLoad } from './scripts/firstLoad'
import { precompress } from './scripts/precompress'

/** Where `npm run dev` finds the server. */
const backend = process.env.WHEELHOUSE_URL ?? 'http://127.0.0.1:8080'

const login = ['/index.html', 'app/pages/LoginPage.tsx', 'app/pages/LoginHomePage.tsx']
/** The most that a page may need before it can be drawn; CI builds, and so keeps it. */
const budgets: readonly Budget[] = [
  { name: 'login', modules: login, most_bytes: 400_000 },
  {
    name: 'map',
    modules: [...login, 'app/frame/Frame.tsx', 'fleet/operation-map/OperationMapPage.tsx'],
    most_bytes: 500_000,
  },
]

const sources = fileURLToPath(new URL('./src/', import.meta.url))
const ofFrame = beneath(`${sources}app/frame/Frame.tsx`, sources)
const ofLogin = beneath(`${sources}app/pages/LoginPage.tsx`, sources)
const ofLists = beneath(`${sources}kit/list/ListPage.tsx`, sources)
/** Every second page has one, and so has the map. */
const DRAWER = /[\\/](antd[\\/]es|@rc-component)[\\/]drawer[\\/]/
/** What stands in forms, that of the login among them. */
const FIELDS = /node_modules[\\/](antd[\\/]es[\\/](input|grid|form|alert)|@ant-design[\\/]icons.*[\\/](Eye|Search)\w*)[\\/.]/

export default defineConfig({
  // Hash routes and relative assets: the build works below any path of a proxy.
  base: './',
  plugins: [react(), firstLoad(budgets), precompress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/ebike': { target: backend, ws: true },
      '/auth': backend,
      '/mieba': backend,
      '/Pay': backend,
      '/Business': backend,
    },
  },
  build: {
    target: 'es2022',
    chunkSizeWarningLimit: 1200,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What the start needs of each stands in one file; the rest goes with the pages that ask for it.
            { name: 'react', tags: ['$initial'], test: /node_modules[\\/](react|react-dom|react-router|react-router-dom|scheduler)[\\/]/ },
            {
              name: 'antd',
              tags: ['$initial'],
              test: /node_modules[\\/](antd|@ant-design|@rc-component|rc-[^\\/]+|dayjs|@emotion)[\\/]/,
            },
            { name: 'leaflet', test: /node_modules[\\/](leaflet|react-leaflet|@react-leaflet)[\\/]/ },
            { name: 'start', tags: ['$initial'] },
            // A page of ours would ask for a hundred small files otherwise, a third of them only when it had the others. What goes
            // along that not every page wants must be little: the budgets above say how much.
            { debugName: 'fields', name: (id, graph) => (FIELDS.test(id) || (ofLogin(id, graph) && ofFrame(id, graph)) ? 'fields' : null) },
            { debugName: 'frame', name: (id, graph) => (DRAWER.test(id) || ofFrame(id, graph) ? 'frame' : null) },
            { name: 'icons', test: /@ant-design[\\/]icons/, minShareCount: 6 },
            { debugName: 'list', name: (id, graph) => (ofLists(id, graph) ? 'list' : null) },
          ],
        },
      },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['src/**/*.test.{ts,tsx}', '{scripts,soak}/**/*.test.ts'],
    setupFiles: ['src/testing.ts'],
    // Otherwise one less than there are processors, which are two.
    maxWorkers: 2,
    // One window for all files of a thread: two thirds of the time went into making windows and reading modules anew.
    isolate: false,
    // What must be fast is measured by benches: here only what never comes is a failure.
    testTimeout: 60_000,
  },
})
