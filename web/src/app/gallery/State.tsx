import type { ReactNode } from 'react'

/** One part in one state, under its name. */
export function State({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="gallery-state" aria-label={name}>
      <h3>{name}</h3>
      {children}
    </section>
  )
}
