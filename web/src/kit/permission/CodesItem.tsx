import { Form } from 'antd'
import { PermissionTree } from './PermissionTree'
import type { TreeSource } from './tree'

interface CodesItemProps {
  label: string
  extra: string
  /** Bit-or of the tiers that the codes are for; every one when absent. */
  tier?: number
  /** Where the tree comes from, when it is not that of what one may give. */
  source?: TreeSource
}

const EVERY_TIER = 15

/** The field of a form that picks permissions; at least one. */
export function CodesItem({ label, extra, tier = EVERY_TIER, source }: CodesItemProps) {
  return (
    <Form.Item name="codes" label={label} extra={extra} rules={[{ type: 'array', min: 1, required: true, message: '请至少选择一项权限' }]}>
      <PermissionTree tier={tier} source={source} />
    </Form.Item>
  )
}
