import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { usePermit } from '@/kit/Permit'
import { PendingDevices } from '../operator-device/PendingDevices'
import { operatorList } from './description'
import { OperatorDrawer } from './OperatorDrawer'
import { OperatorForm } from './OperatorForm'
import { enabledRoles, type Operator, OPERATOR_PATH } from './operator'
import { useRemoveOperator, useRemoveOperators, useSwitchOperator } from './useOperatorCommands'

export default function OperatorListPage() {
  const { rowAction, batchActions } = useSwitchOperator()
  const remove = useRemoveOperator()
  const removeMany = useRemoveOperators()
  const roles = useQuery(enabledRoles)
  // A renamed role changes what the rows say; only holders of 1001 are told of it.
  useFollow(usePermit('1001') ? 'role' : null, [OPERATOR_PATH])
  // Only holders of 01 may choose an agent; the others see one anyway.
  const mayListAgents = usePermit('01')
  const description = useMemo(
    () =>
      operatorList(
        (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        mayListAgents,
      ),
    [roles.data, mayListAgents],
  )
  return (
    <>
      <PendingDevices />
      <ListPage<Operator>
        description={description}
        add={{ text: '新增人员', form: (close) => <OperatorForm onSaved={close} /> }}
        editable
        rowActions={(operator) => [rowAction(operator), { key: 'delete', label: '删除', danger: true, onRun: () => remove(operator) }]}
        batchActions={[...batchActions, { key: 'delete', label: '批量删除', danger: true, onRun: removeMany }]}
        drawer={(id, close) => <OperatorDrawer key={id} id={id} onClose={close} />}
      />
    </>
  )
}
