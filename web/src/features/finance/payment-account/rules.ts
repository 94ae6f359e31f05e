import type { Rule } from 'antd/es/form'

/** Rules of a name of at most `max` characters; one with stars is a masked one, which the server refuses. */
export function nameRules(missing: string, max: number): Rule[] {
  return [
    { required: true, whitespace: true, message: missing },
    { max, message: `不超过 ${max} 个字` },
    { pattern: /^[^*]*$/, message: '不能含有 *，请填写完整的名称' },
  ]
}

/** What a field begins with: a masked value has to be written anew. */
export function unmasked(text: string): string {
  return text.includes('*') ? '' : text
}
