import { CloudUploadOutlined, DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Empty, Input, Skeleton, Tag, Tooltip } from 'antd'
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react'

import { command } from '@/api/client'
import { useSession } from '@/app/session/store'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { useAskedCommand } from '@/kit/useAskedCommand'

import { FOUND_FROM, stale, type StoredView, VIEWS_PATH, viewsLike } from './views'

const SHARED = 2

interface ViewsMenuProps {
  /** What the map shows now; null while there is no map. */
  state: () => string | null
  onOpen: (view: StoredView) => void
  /** Asks for name and readers: of a new one, or of this one. */
  onForm: (view: StoredView | null) => void
  /** It is there to be gone through by keyboard. */
  onReady: () => void
}

/** One's own views and those of colleagues: opened, stored anew, renamed, taken away. */
export default function ViewsMenu({ state, onOpen, onForm, onReady }: ViewsMenuProps) {
  const [typed, setTyped] = useState('')
  const keyword = useDeferredValue(typed.trim())
  useEffect(onReady, [onReady])
  const query = useQuery({ ...viewsLike(keyword), placeholderData: keepPreviousData })
  const me = useSession(({ user }) => user?.userId)
  const { rows = [], count = 0 } = query.data ?? {}
  const own = rows.filter(({ operatorId }) => operatorId === me)
  const others = rows.filter(({ operatorId }) => operatorId !== me)
  const none = query.data !== undefined && rows.length === 0
  return (
    <div className="opmap-views" role="group" aria-label="视图列表">
      <Button block icon={<PlusOutlined />} onClick={() => onForm(null)}>
        保存当前视图
      </Button>
      {(typed !== '' || count > FOUND_FROM) && (
        <Input allowClear aria-label="查找视图" placeholder="按名称或创建人查找" value={typed} onChange={({ target }) => setTyped(target.value)} />
      )}
      {query.isLoading && <Skeleton active title={false} />}
      <LoadFailure query={query} text="视图没有取到" />
      {none && (
        <Empty
          image={Empty.PRESENTED_IMAGE_SIMPLE}
          description={keyword === '' ? '还没有视图。先设好筛选、图层和位置，再保存成视图；选“共享”后同事也能打开。' : `没有名称或创建人含“${keyword}”的视图`}
        />
      )}
      {own.length > 0 && (
        <Group title="我的视图">
          {own.map((view) => (
            <Row key={view.id} view={view} says={view.audience === SHARED ? <Tag color="blue">共享</Tag> : null} onOpen={onOpen}>
              <OwnActs view={view} state={state} onForm={onForm} />
            </Row>
          ))}
        </Group>
      )}
      {others.length > 0 && (
        <Group title="同事共享">
          {others.map((view) => (
            <Row key={view.id} view={view} says={<span className="opmap-weak">{view.byName}</span>} onOpen={onOpen} />
          ))}
        </Group>
      )}
      {count > rows.length && <p className="opmap-weak">只列出最新的 {rows.length} 个，请按名称查找。</p>}
    </div>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      <ul aria-label={title}>{children}</ul>
    </section>
  )
}

function Row({ view, says, onOpen, children }: { view: StoredView; says: ReactNode; onOpen: (view: StoredView) => void; children?: ReactNode }) {
  return (
    <li>
      <Button type="text" className="opmap-view-name" title={`${view.byName} · ${formatTime(view.updatedAt)}`} onClick={() => onOpen(view)}>
        {view.name}
      </Button>
      {says}
      {children}
    </li>
  )
}

function OwnActs({ view, state, onForm }: { view: StoredView; state: () => string | null; onForm: (view: StoredView) => void }) {
  const replace = useAskedCommand({ run: command.put(VIEWS_PATH), stale, done: '视图已更新为当前状态' })
  const remove = useAskedCommand({ run: command.delete(VIEWS_PATH), stale, done: '视图已删除' })
  const { id, version, name, audience } = view
  const shared = audience === SHARED
  const overwrite = () => {
    const now = state()
    if (now === null) return
    replace({ id, version, name, audience, state: now }, { act: '更新视图', name, consequence: `原来保存的筛选、图层和位置将被地图现在的状态替换${shared ? '，同事打开时看到的也随之改变' : ''}。` })
  }
  return (
    <>
      <Act label={`用当前状态更新「${name}」`} icon={<CloudUploadOutlined />} onClick={overwrite} />
      <Act label={`修改「${name}」的名称和可见范围`} icon={<EditOutlined />} onClick={() => onForm(view)} />
      <Act
        label={`删除「${name}」`}
        icon={<DeleteOutlined />}
        onClick={() => remove({ id }, { act: '删除视图', name, consequence: shared ? '删除后不能恢复，同事也不能再打开它。' : '删除后不能恢复。' })}
      />
    </>
  )
}

function Act({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip title={label}>
      <Button type="text" size="small" aria-label={label} icon={icon} onClick={onClick} />
    </Tooltip>
  )
}
