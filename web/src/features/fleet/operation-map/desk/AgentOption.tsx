import { Form, Select } from 'antd'

import { useAgentChoices } from '@/kit/useAgentChoices'

/** Whose something is, for who reaches several agents; for all others it is their own's, and nothing is asked. */
export function AgentOption({ label }: { label: string }) {
  const { data = [] } = useAgentChoices()
  if (data.length < 2) return null
  return (
    <Form.Item name="agentId" label={label} extra="不选则归平台，只有平台人员能看到">
      <Select
        allowClear
        showSearch={{ optionFilterProp: 'label' }}
        placeholder="平台"
        options={data.map(({ agentId, company }) => ({ value: agentId, label: company }))}
      />
    </Form.Item>
  )
}
