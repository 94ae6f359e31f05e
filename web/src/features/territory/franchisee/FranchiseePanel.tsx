import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Table } from 'antd'
import { useMemo, useState } from 'react'
import { api, failureText } from '@/api/client'
import { agentChoices } from '@/kit/agentChoices'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { Dot } from '@/kit/StateTag'
import { ContractEnd, franchiseeList } from './description'
import { COOPERATING, EXPIRED, formatRatio, type Franchisee, FRANCHISEE_PATH, franchiseeState, NEGOTIATING, TERMINATED } from './franchisee'
import { AddFranchiseeDrawer, FranchiseeDrawer } from './FranchiseeDrawer'
import { useFranchiseeActs } from './useFranchiseeCommands'

const FEW = 200

/** 加盟商: all in scope as a list, or those of one agent as a short table. */
export default function FranchiseePanel({ agentId }: { agentId?: string }) {
  return agentId === undefined ? <FranchiseeList /> : <FranchiseesOfAgent agentId={agentId} />
}

/** What may be done with a franchisee, the next step first. */
function useRowActions(): (franchisee: Franchisee) => RowAction[] {
  const { sign, end, remove } = useFranchiseeActs()
  return (franchisee) => {
    if (franchisee.state === NEGOTIATING) {
      return [
        { key: 'sign', label: '签约', onRun: () => sign(franchisee) },
        { key: 'delete', label: '删除', danger: true, onRun: () => remove(franchisee) },
      ]
    }
    const over = franchisee.state === TERMINATED
    const closable = franchisee.state === COOPERATING || franchisee.state === EXPIRED
    return [
      { key: 'end', label: '解约', danger: true, ...(over || !closable ? { unavailable: '已经解约' } : {}), onRun: () => end(franchisee) },
    ]
  }
}

function FranchiseeList() {
  const [adding, setAdding] = useState(false)
  const agents = useQuery(agentChoices)
  const description = useMemo(
    () => franchiseeList((agents.data?.rows ?? []).map((row) => ({ value: row.agentId, label: row.company }))),
    [agents.data],
  )
  const rowActions = useRowActions()
  return (
    <>
      <ListPage<Franchisee>
        description={description}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            登记加盟商
          </Button>
        }
        editable={({ state }) => (state === TERMINATED ? '已经解约，不能修改' : undefined)}
        rowActions={rowActions}
        drawer={(id, close) => <FranchiseeDrawer id={id} onClose={close} />}
      />
      {adding && <AddFranchiseeDrawer onClose={() => setAdding(false)} />}
    </>
  )
}

/** The franchisees of one agent, beside what else is shown of it. */
function FranchiseesOfAgent({ agentId }: { agentId: string }) {
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [FRANCHISEE_PATH, 'of', agentId],
    queryFn: ({ signal }) => api.get(FRANCHISEE_PATH, { agentId, page: 1, pageSize: FEW }, { signal }),
  })
  useFollow('franchisee', [FRANCHISEE_PATH])
  const add = (
    <Button icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      登记加盟商
    </Button>
  )
  return (
    <div className="franchisee-embedded">
      <Table<Franchisee>
        size="small"
        rowKey="id"
        loading={query.isLoading}
        dataSource={query.data?.rows ?? []}
        pagination={{ pageSize: 10, hideOnSinglePage: true, showSizeChanger: false }}
        scroll={{ x: 520 }}
        columns={[
          {
            title: '公司',
            ellipsis: true,
            render: (_, franchisee) => (
              <Button type="link" size="small" onClick={() => setOpen(franchisee.id)}>
                {franchisee.company}
              </Button>
            ),
          },
          { title: '状态', width: 92, render: (_, franchisee) => <Dot {...franchiseeState(franchisee.state)} /> },
          { title: '分成比例', width: 88, align: 'right', render: (_, franchisee) => formatRatio(franchisee.divideRatioBp) },
          { title: '合同到期日', width: 150, render: (_, franchisee) => <ContractEnd franchisee={franchisee} /> },
        ]}
        locale={{
          emptyText: query.isLoading ? (
            <div className="list-empty" />
          ) : (
            <Empty
              image={Empty.PRESENTED_IMAGE_SIMPLE}
              description={query.isError ? failureText(query.error, '加盟商加载失败') : '这家代理还没有加盟商'}
            >
              {query.isError ? <Button onClick={() => void query.refetch()}>重试</Button> : add}
            </Empty>
          ),
        }}
        {...(query.data && query.data.rows.length > 0 ? { footer: () => add } : {})}
      />
      {open !== null && <FranchiseeDrawer id={open} onClose={() => setOpen(null)} />}
      {adding && <AddFranchiseeDrawer agentId={agentId} onClose={() => setAdding(false)} />}
    </div>
  )
}
