import type { Difference } from './versions'
import './versions.css'

/** What changed, field by field: what it said is struck out, what it says stands behind it. */
export function Changes({ changes }: { changes: readonly (Difference | string)[] }) {
  return (
    <ul className="changes weak">
      {changes.map((change) =>
        typeof change === 'string' ? (
          <li key={change}>{change}</li>
        ) : (
          <li key={change.label}>
            {change.label} <del>{change.before}</del> → <ins>{change.after}</ins>
          </li>
        ),
      )}
    </ul>
  )
}
