// Prints the route table as JSON, for checks against the specification.
import { readFileSync } from 'node:fs'

const routes = JSON.parse(readFileSync(new URL('../src/app/routes.json', import.meta.url), 'utf8'))
const table = routes.map(({ path, title, permission, hidden, redirect, layout, page }) => ({
  path,
  title,
  permission,
  hidden,
  redirect,
  layout,
  page,
}))
process.stdout.write(`${JSON.stringify(table, null, 1)}\n`)
