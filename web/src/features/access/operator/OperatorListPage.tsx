import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { usePermit } from '@/kit/Permit'
import { PendingDevices } from '../operator-device/PendingDevices'
import { operatorList } from './description'
import { AddOperatorDrawer, OperatorDrawer } from './OperatorDrawer'
import { agentChoices, enabledRoles, type Operator, OPERATOR_PATH } from './operator'
import { useOperatorActs, useOperatorBatch } from './useOperatorCommands'

export default function OperatorListPage() {
  const [adding, setAdding] = useState(false)
  const { switchState, remove } = useOperatorActs()
  const batch = useOperatorBatch()
  const roles = useQuery(enabledRoles)
  // A renamed role changes what the rows say; only holders of 1001 are told of it.
  useFollow(usePermit('1001') ? 'role' : null, [OPERATOR_PATH])
  // Only holders of 01 may choose an agent; the others see one anyway.
  const mayListAgents = usePermit('01')
  const agents = useQuery({ ...agentChoices, enabled: mayListAgents })
  const description = useMemo(
    () =>
      operatorList(
        (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        mayListAgents ? (agents.data ?? []).map(({ agentId, company }) => ({ value: agentId, label: company })) : null,
      ),
    [roles.data, agents.data, mayListAgents],
  )
  return (
    <>
      <PendingDevices />
      <ListPage<Operator>
        description={description}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增人员
          </Button>
        }
        editable
        rowActions={(operator) => [
          { key: 'state', label: operator.state === 1 ? '停用' : '启用', onRun: () => switchState(operator) },
          { key: 'delete', label: '删除', danger: true, onRun: () => remove(operator) },
        ]}
        batchActions={[
          { key: 'enable', label: '批量启用', onRun: (operators, done) => batch.switchState(operators, true, done) },
          { key: 'disable', label: '批量停用', danger: true, onRun: (operators, done) => batch.switchState(operators, false, done) },
          { key: 'delete', label: '批量删除', danger: true, onRun: (operators, done) => batch.remove(operators, done) },
        ]}
        drawer={(id, close) => <OperatorDrawer key={id} id={id} onClose={close} />}
      />
      {adding && <AddOperatorDrawer onClose={() => setAdding(false)} />}
    </>
  )
}
