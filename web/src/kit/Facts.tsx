import type { ReactNode } from 'react'
import './facts.css'

export interface Fact {
  name: string
  value: ReactNode
  /** Takes a line of its own. */
  whole?: boolean
}

/** What is known of a record, above the form that changes it. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ name, value, whole }) => (
        <div key={name} className={whole ? 'facts-whole' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
