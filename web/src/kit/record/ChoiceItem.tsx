import { useQuery } from '@tanstack/react-query'
import { Form, type FormItemProps, Select, type SelectProps } from 'antd'
import { agentChoices } from '../areaChoices'

interface ChoiceItemProps
  extends Pick<FormItemProps, 'name' | 'label' | 'extra' | 'required' | 'rules'>,
    Pick<SelectProps, 'mode' | 'options' | 'placeholder' | 'disabled' | 'allowClear' | 'showSearch' | 'maxTagCount'> {
  /** Where the options come from. */
  query?: { isFetching: boolean; isError: boolean }
  /** Said when they did not come, and when there are none. */
  failed?: string
  none: string
}

/** One of several, or with a `mode` some of them, found by name. */
export function ChoiceItem({ name, label, extra, required, rules, query, failed = '加载失败，请重试', none, ...select }: ChoiceItemProps) {
  return (
    <Form.Item name={name} label={label} extra={extra} required={required} rules={rules}>
      <Select showSearch={{ optionFilterProp: 'label' }} loading={query?.isFetching} notFoundContent={query?.isError ? failed : none} {...select} />
    </Form.Item>
  )
}

interface AgentItemProps {
  label: string
  placeholder: string
  /** An agent that is not to be chosen. */
  except?: string
  none: string
  disabled?: boolean
}

/** The agent that something is given to; the field `agentId`. */
export function AgentItem({ label, except, ...texts }: AgentItemProps) {
  const query = useQuery(agentChoices)
  const options = (query.data ?? []).filter(({ agentId }) => agentId !== except).map((row) => ({ value: row.agentId, label: row.company }))
  const rules = [{ required: true, message: `请选择${label}` }]
  return <ChoiceItem name="agentId" label={label} rules={rules} query={query} failed="代理列表加载失败，请稍后再试" options={options} {...texts} />
}
