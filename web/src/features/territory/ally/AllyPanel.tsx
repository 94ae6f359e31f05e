import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Table } from 'antd'
import { useMemo, useState } from 'react'
import { api, failureText } from '@/api/client'
import type { Page } from '@/kit/list/description'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { Dot } from '@/kit/StateTag'
import { type Ally, agentChoices, ALLY_PATH, allyState, COOPERATING, EXPIRED, formatRatio, NEGOTIATING, TERMINATED } from './ally'
import { AddAllyDrawer, AllyDrawer } from './AllyDrawer'
import { allyList, ContractEnd } from './description'
import { useAllyActs } from './useAllyCommands'

const FEW = 200

/** 加盟商: all in scope as a list, or those of one agent as a short table. */
export default function AllyPanel({ agentId }: { agentId?: string }) {
  return agentId === undefined ? <AllyList /> : <AlliesOfAgent agentId={agentId} />
}

/** What may be done with a franchiser, the next step first. */
function useRowActions(): (ally: Ally) => RowAction[] {
  const { sign, end, remove } = useAllyActs()
  return (ally) => {
    if (ally.state === NEGOTIATING) {
      return [
        { key: 'sign', label: '签约', onRun: () => sign(ally) },
        { key: 'delete', label: '删除', danger: true, onRun: () => remove(ally) },
      ]
    }
    const over = ally.state === TERMINATED
    const closable = ally.state === COOPERATING || ally.state === EXPIRED
    return [
      { key: 'end', label: '解约', danger: true, ...(over || !closable ? { unavailable: '已经解约' } : {}), onRun: () => end(ally) },
    ]
  }
}

function AllyList() {
  const [adding, setAdding] = useState(false)
  const agents = useQuery(agentChoices)
  const description = useMemo(
    () => allyList((agents.data?.rows ?? []).map((row) => ({ value: row.agentId, label: row.company }))),
    [agents.data],
  )
  const rowActions = useRowActions()
  return (
    <>
      <ListPage<Ally>
        description={description}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            登记加盟商
          </Button>
        }
        rowActions={rowActions}
        drawer={(id, close) => <AllyDrawer id={id} onClose={close} />}
      />
      {adding && <AddAllyDrawer onClose={() => setAdding(false)} />}
    </>
  )
}

/** The franchisers of one agent, beside what else is shown of it. */
function AlliesOfAgent({ agentId }: { agentId: string }) {
  const [adding, setAdding] = useState(false)
  const [open, setOpen] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [ALLY_PATH, 'of', agentId],
    queryFn: ({ signal }) => api.get<Page<Ally>>(ALLY_PATH, { agentId, page: 1, pageSize: FEW }, { signal }),
  })
  useFollow('ally', [ALLY_PATH])
  const add = (
    <Button icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      登记加盟商
    </Button>
  )
  return (
    <div className="ally-embedded">
      <Table<Ally>
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
            render: (_, ally) => (
              <Button type="link" size="small" onClick={() => setOpen(ally.id)}>
                {ally.company}
              </Button>
            ),
          },
          { title: '状态', width: 92, render: (_, ally) => <Dot {...allyState(ally.state)} /> },
          { title: '分成比例', width: 88, align: 'right', render: (_, ally) => formatRatio(ally.divideRatioBp) },
          { title: '合同到期日', width: 150, render: (_, ally) => <ContractEnd ally={ally} /> },
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
      {open !== null && <AllyDrawer id={open} onClose={() => setOpen(null)} />}
      {adding && <AddAllyDrawer agentId={agentId} onClose={() => setAdding(false)} />}
    </div>
  )
}
