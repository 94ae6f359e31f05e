import { useQuery } from '@tanstack/react-query'
import { Form, Select } from 'antd'

import { agentChoices } from '@/kit/areaChoices'
import { allows, useCodes } from '@/kit/permission/held'

/** What it takes to list agents. */
const LISTS_AGENTS = '1103||1101||0503'

/** Whose something is, for who reaches several agents; for all others it is their own's, and nothing is asked. */
export function AgentOption({ label }: { label: string }) {
  const may = useCodes((codes) => allows(LISTS_AGENTS, codes))
  const { data = [] } = useQuery({ ...agentChoices, enabled: may })
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
