import type { FormInstance } from 'antd'
import { Refusal } from '@/api/client'

/** By the code of a refusal: the field of the form that it is about. */
export type FieldOf = Readonly<Record<string, string>>

/** Whether a form says this failure at one of its fields. */
export function isAtField(error: unknown, fieldOf: FieldOf): error is Refusal {
  return error instanceof Refusal && error.code in fieldOf
}

/** Shows what the server refused at the field that it is about, brings that into sight and throws it on. */
export function atField<Values>(form: FormInstance<Values>, fieldOf: FieldOf): (error: unknown) => never {
  return (error) => {
    const name = isAtField(error, fieldOf) ? fieldOf[error.code] : undefined
    if (name !== undefined) {
      form.setFields([{ name: name as never, errors: [(error as Refusal).text] }])
      form.scrollToField(name, { block: 'center', focus: true })
    }
    throw error
  }
}
