import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Space } from 'antd'
import { command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { factsOf } from '@/kit/list/cells'
import type { Neighbours } from '@/kit/list/useArrows'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { type Decision, ReviewBar } from '@/kit/record/ReviewBar'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type ApprovalInfo, approvalInfo, REASON_MAX, stale, WAITING } from './approval'
import { approvalList } from './description'
import './approvals.css'

const described = approvalList([])
const reason = { label: '驳回原因', placeholder: '驳回原因（必填）', max: REASON_MAX }

interface ApprovalDrawerProps {
  id: string
  neighbours: Neighbours
  onClose(): void
}

/** A request for a second person: what would happen, who asked and why, and the decision. The next one follows. */
export function ApprovalDrawer({ id, neighbours, onClose }: ApprovalDrawerProps) {
  const accept = useCommand({ run: command.post('/platform/approval/decide'), stale, done: '已同意，操作已执行' })
  const reject = useCommand({ run: command.post('/platform/approval/decide'), stale, done: '已驳回' })
  const ask = useDangerousConfirm()
  const withdraw = useAskedCommand({ run: command.post('/platform/approval/withdraw'), stale, done: '已撤回' })
  // Where it was the last of the queue there is nothing more to be done here.
  const goOn = () => (neighbours.next ?? onClose)()
  const decisionsOf = ({ version, summary: name, notApproved, notRejected, impossible }: ApprovalInfo): Decision[] => [
    {
      key: 'accept',
      label: '同意',
      hotkey: 'a',
      primary: true,
      unavailable: notApproved ?? impossible ?? (accept.isPending ? '正在执行' : undefined),
      onDecide: () => accept.mutate({ id, version, result: 'accept' }, { onSuccess: goOn }),
    },
    {
      key: 'reject',
      label: '驳回',
      hotkey: 'r',
      danger: true,
      unavailable: notRejected ?? undefined,
      onDecide: () =>
        ask({
          act: '驳回',
          name,
          consequence: '驳回后不会执行任何操作；申请人可以重新提交。',
          reason,
          onConfirm: (said) => reject.mutateAsync({ id, version, result: 'reject', reason: said }).then(goOn),
        }),
    },
  ]
  const takeBack = ({ version, summary: name }: ApprovalInfo) =>
    withdraw({ id, version }, { act: '撤回', name, consequence: '撤回后不会执行任何操作；可以重新提交。' })
  return (
    <RecordDrawer
      id={id}
      query={useQuery(approvalInfo(id))}
      category="approval"
      words={{ untitled: '复核申请', failure: '复核申请加载失败', subject: '这个申请', main: '申请' }}
      title={({ summary }) => summary}
      actions={(approval) =>
        approval.mayWithdraw ? (
          <Space>
            <ReviewBar decisions={[]} neighbours={neighbours} />
            <Button size="small" onClick={() => takeBack(approval)}>
              撤回
            </Button>
          </Space>
        ) : (
          <ReviewBar decisions={decisionsOf(approval)} neighbours={neighbours} />
        )
      }
      above={(approval) => <Obstacle approval={approval} />}
      facts={(approval) => [
        ...factsOf(described, approval, 'kind', 'state', 'amount', 'requesterName', 'requestedAt', 'expiresAt'),
        ...(approval.decidedAt ? factsOf(described, approval, 'deciderName', 'decidedAt') : []),
        ...(approval.decisionReason ? factsOf(described, approval, 'decisionReason') : []),
      ]}
      onClose={onClose}
    >
      {(approval) => (
        <>
          {approval.state === WAITING && !approval.impossible && (
            <>
              <h3>同意后会发生什么</h3>
              <ul className="approval-outlook">
                {approval.outlook.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </>
          )}
          <h3>申请原因</h3>
          <p className="approval-words">{approval.reason || EMPTY}</p>
        </>
      )}
    </RecordDrawer>
  )
}

/** Why it cannot be done any more, or why this one may not decide it. */
function Obstacle({ approval: { state, impossible, notApproved, mayWithdraw } }: { approval: ApprovalInfo }) {
  if (state !== WAITING) return null
  if (impossible) return <Alert className="notice" type="warning" showIcon title={`现在不能执行：${impossible}`} />
  if (notApproved) return <Alert className="notice" type="info" showIcon title={mayWithdraw ? '这是您提交的申请，由另一位同事处理。' : notApproved} />
  return null
}
