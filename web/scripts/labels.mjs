// Writes the labels that the OpenAPI document has beside its enums (`x-enum-labels`) as TypeScript:
// `node scripts/labels.mjs <document> -o <file>`; without a file, to the standard output.
import { readFileSync, writeFileSync } from 'node:fs'

const [document, , file] = process.argv.slice(2)
const { schemas } = JSON.parse(readFileSync(document, 'utf8')).components

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const keyOf = (value) => (typeof value === 'number' && value >= 0 ? String(value) : quoted(String(value)))
const nameOf = (schema) => `${schema[0].toLowerCase()}${schema.slice(1)}Labels`

function labelsOf([name, { description, enum: values, 'x-enum-labels': labels }]) {
  if (values.length !== labels.length) throw new Error(`${name}: ${values.length} values with ${labels.length} labels`)
  const lines = values.map((value, index) => `  ${keyOf(value)}: ${quoted(labels[index])},`)
  const said = description ? [`/** ${description} */`] : []
  return [...said, `export const ${nameOf(name)} = {`, ...lines, `} as const satisfies Record<Schemas['${name}'], string>`].join('\n')
}

const head = `/** Labels of the document's enums, made by \`npm run api\`; not to be edited. */
import type { components } from './openapi'

type Schemas = components['schemas']
`
const labelled = Object.entries(schemas).filter(([, schema]) => 'x-enum-labels' in schema)
const text = [head, ...labelled.map((entry) => `${labelsOf(entry)}\n`)].join('\n')
if (file === undefined) process.stdout.write(text)
else writeFileSync(file, text)
