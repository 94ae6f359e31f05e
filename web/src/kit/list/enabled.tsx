import { enabledTag } from '../StateTag'
import type { Column, Filter } from './description'

/** The filter of lists whose rows are enabled or disabled. */
export const enabledFilter = {
  kind: 'select',
  name: 'state',
  label: '状态',
  options: [
    { value: '1', label: '启用' },
    { value: '0', label: '停用' },
  ],
} as const satisfies Filter

/** The column of such lists. */
export function enabledColumn<Row extends { state: number }>(): Column<Row, never> {
  return { kind: 'choice', key: 'state', title: '状态', width: 80, value: (row) => enabledTag(row.state) }
}
