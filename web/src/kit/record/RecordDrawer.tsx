import { type ReactNode, useState } from 'react'
import { FormDrawer } from '../FormDrawer'
import { FormPlaceProvider, useFormPlace } from './place'
import { MAIN, RecordBody, type RecordParts } from './RecordBody'

interface RecordDrawerProps<Row extends { version: number }> extends RecordParts<Row> {
  /** What can be done with it beside saving, at the head. */
  actions?(latest: Row): ReactNode
  onClose(): void
}

/** A record at the right side of its list: what is known of it, the form that changes it, what was done to it. */
export function RecordDrawer<Row extends { version: number }>({ actions, onClose, ...parts }: RecordDrawerProps<Row>) {
  const { query, words, title } = parts
  const { place, form, saving } = useFormPlace()
  const [tab, setTab] = useState(MAIN)
  return (
    <FormDrawer
      title={query.data ? title(query.data) : words.untitled}
      wide
      form={tab === MAIN ? form : undefined}
      saving={saving}
      extra={query.data && actions?.(query.data)}
      onClose={onClose}
    >
      <FormPlaceProvider value={place}>
        <RecordBody parts={parts} editing={form !== undefined} tab={tab} onTab={setTab} />
      </FormPlaceProvider>
    </FormDrawer>
  )
}

/** The form of a new record at the right side of its list. */
export function NewRecordDrawer({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  const { place, form, saving } = useFormPlace()
  return (
    <FormDrawer title={title} wide form={form} saving={saving} onClose={onClose}>
      <FormPlaceProvider value={place}>{children}</FormPlaceProvider>
    </FormDrawer>
  )
}
