import { EnabledTag } from '../StateTag'
import type { Column, Filter } from './description'

/** The filter of lists whose rows are enabled or disabled. */
export const enabledFilter: Filter = {
  kind: 'select',
  name: 'state',
  label: '状态',
  options: [
    { value: '1', label: '启用' },
    { value: '0', label: '停用' },
  ],
}

/** The column of such lists; `width` in px. */
export function enabledColumn<Row extends { state: number }>(width: number): Column<Row> {
  return {
    key: 'state',
    title: '状态',
    width,
    text: (row) => (row.state === 1 ? '启用' : '停用'),
    render: (row) => <EnabledTag state={row.state} />,
  }
}
