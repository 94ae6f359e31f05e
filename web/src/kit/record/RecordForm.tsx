import { Form, type FormInstance } from 'antd'
import { type ReactNode, useId } from 'react'
import { DraftNotice } from '../DraftNotice'
import { atField, type FieldOf } from '../fieldErrors'
import { useDraft } from '../useDraft'
import { useInPlace } from './place'

interface RecordFormProps<Fields extends object> {
  /** Names the draft. One for each version: an old draft is never laid over a newer record. */
  draft: readonly [noun: string, id?: string | undefined, version?: number | undefined]
  /** What the form is opened with; of fields that it does not show, also what is saved. */
  original: Fields
  /** What a draft holds; all of it when absent. Names and numbers of people are in none. */
  kept?(fields: Fields): Partial<Fields>
  /** What the draft does not hold, in words: `电话需重新填写`. */
  missing?: string
  /** What else changes with a field. */
  follow?(changed: Partial<Fields>, fields: Fields): Partial<Fields>
  /** Refusals that are said at fields. */
  fieldOf?: FieldOf
  /** Asks before it saves. */
  confirm?(fields: Fields, save: () => Promise<unknown>): void
  /** Shows it without letting it be changed. */
  readOnly?: boolean
  /** To watch fields from outside. */
  form?: FormInstance<Fields>
  className?: string
  /** Resolves when it is saved, rejects when it is not; the command says why. Texts come trimmed. */
  onSave(fields: Fields): Promise<unknown>
  children: ReactNode
}

/** The form of a record, new or opened: keeps a draft until it is saved, and shows what the server refuses at its field. */
export function RecordForm<Fields extends object>(props: RecordFormProps<Fields>) {
  const { original, kept, follow, fieldOf = {}, confirm, readOnly = false } = props
  const [form] = Form.useForm<Fields>(props.form)
  const place = useInPlace(!readOnly)
  const name = useId()
  const draft = useDraft<Partial<Fields>>(draftName(props.draft))

  const save = (fields: Fields) => {
    const saved = draft.saving(props.onSave(fields).catch(atField(form, fieldOf)))
    place?.during(saved)
    return saved
  }
  const finish = (written: Fields) => {
    const fields = trimmed({ ...original, ...written })
    if (confirm) confirm(fields, () => save(fields))
    else void save(fields)
  }
  const change = (changed: Partial<Fields>, all: Fields) => {
    const others = follow?.(changed, all) ?? {}
    if (Object.keys(others).length > 0) form.setFieldsValue(others)
    const fields = { ...all, ...others }
    draft.keep(kept ? kept(fields) : fields)
  }

  return (
    <Form<Fields>
      // Fields are called after the form: two forms that are open at once may both have a phone.
      name={name}
      id={place?.id}
      className={props.className}
      form={form}
      layout="vertical"
      disabled={readOnly}
      initialValues={{ ...original, ...(readOnly ? null : draft.restored) }}
      onValuesChange={change}
      onFinish={finish}
    >
      {!readOnly && <DraftNotice draft={draft} missing={props.missing} onDiscard={() => form.setFieldsValue(original)} />}
      {props.children}
    </Form>
  )
}

function draftName([noun, id, version]: RecordFormProps<object>['draft']): string {
  return id === undefined ? `${noun}_new` : `${noun}_${id}_${version}`
}

/** The same with its texts trimmed. */
function trimmed<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => [name, typeof value === 'string' ? value.trim() : value])
  return Object.fromEntries(entries) as Fields
}

/** What a draft may hold when these fields are personal. */
export function without<Fields extends object>(fields: Fields, ...personal: (keyof Fields & string)[]): Partial<Fields> {
  const entries = Object.entries(fields).filter(([name]) => !personal.some((one) => one === name))
  return Object.fromEntries(entries) as Partial<Fields>
}
