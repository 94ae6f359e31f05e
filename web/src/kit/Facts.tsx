import type { ReactNode } from 'react'
import './facts.css'

export interface Fact {
  name: string
  value: ReactNode
  /** Takes a line of its own. */
  whole?: boolean
}

/** What is known of a record, above the form that changes it: three in a line, four when there are just four. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  const four = facts.filter(({ whole }) => !whole).length === 4
  return (
    <dl className={four ? 'facts facts-four' : 'facts'}>
      {facts.map(({ name, value, whole }) => (
        <div key={name} className={whole ? 'facts-whole' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
