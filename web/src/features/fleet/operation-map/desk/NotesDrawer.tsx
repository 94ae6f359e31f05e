import { CheckOutlined, CloseOutlined, DownloadOutlined, EditOutlined } from '@ant-design/icons'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button, Checkbox, Empty, Skeleton, Tooltip } from 'antd'
import { useState } from 'react'

import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { useSession } from '@/app/session/store'
import { exportByServer, startExport } from '@/kit/list/export'
import { LoadFailure } from '@/kit/LoadFailure'
import { Time } from '@/kit/Time'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'

import { NoteForm } from './NoteForm'
import { mayDo, type Note, NOTES_PATH, notesOf, stale } from './notes'

interface NotesDrawerProps {
  onBike: (carId: string) => void
  onClose: () => void
}

const COLUMNS = ['writtenAt', 'byName', 'text', 'bikes', 'acknowledgedAt', 'acknowledgedBy']
const takeFile = (waiting: boolean) =>
  startExport('shift-note', '交接班记录', (work) => exportByServer(NOTES_PATH, '交接班记录', { acknowledged: waiting ? false : null }, COLUMNS, work))

/** 交接班: what shifts told each other, newest first, and the way to tell more. */
export default function NotesDrawer({ onBike, onClose }: NotesDrawerProps) {
  const [waiting, setWaiting] = useState(false)
  const [writing, setWriting] = useState(false)
  const query = useInfiniteQuery(notesOf(waiting))
  const notes = query.data?.pages.flatMap(({ rows }) => rows) ?? []
  return (
    <aside className="opmap-drawer" aria-label="交接班">
      <header className="opmap-drawer-head">
        <h2>交接班</h2>
        <div>
          <Tooltip title="导出">
            <Button type="text" aria-label="导出交接班记录" icon={<DownloadOutlined />} disabled={notes.length === 0} onClick={() => void takeFile(waiting)} />
          </Tooltip>
          <Button type="text" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
        </div>
      </header>
      <div className="opmap-drawer-body">
        {writing ? (
          <NoteForm onClose={() => setWriting(false)} />
        ) : (
          <div className="opmap-shift-head">
            <Button type="primary" icon={<EditOutlined />} onClick={() => setWriting(true)}>
              写交接班记录
            </Button>
            <Checkbox checked={waiting} onChange={({ target }) => setWaiting(target.checked)}>
              只看未知悉
            </Checkbox>
          </div>
        )}
        {query.isLoading && <Skeleton active />}
        <LoadFailure query={query} text="交接班记录没有取到" />
        {query.data !== undefined && notes.length === 0 && (
          <Empty
            image={Empty.PRESENTED_IMAGE_SIMPLE}
            description={waiting ? '没有等待知悉的记录' : '还没有交接班记录。交班前写下未完成的事和要留意的车，接班的人打开地图就会看到。'}
          />
        )}
        <ol className="opmap-shift" aria-label="交接班记录">
          {notes.map((note) => (
            <Entry key={note.id} note={note} onBike={onBike} />
          ))}
        </ol>
        {query.hasNextPage && (
          <Button block loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            更早的记录
          </Button>
        )}
      </div>
    </aside>
  )
}

function Entry({ note, onBike }: { note: Note; onBike: (carId: string) => void }) {
  const me = useSession(({ user }) => user?.userId)
  const read = useCommand({ run: command.post(`${NOTES_PATH}/acknowledge`), stale, done: '已知悉' })
  const withdraw = useAskedCommand({ run: command.delete(NOTES_PATH), stale, done: '记录已撤回' })
  const { id, byName, text, bikes, writtenAt, acknowledgedAt, acknowledgedBy } = note
  const may = mayDo(note, me, serverNow())
  const open = (acknowledgedAt ?? null) === null
  return (
    <li className={open ? 'open' : undefined}>
      <header>
        <b>{byName}</b>
        <Time at={writtenAt} />
      </header>
      <p className="opmap-shift-text">{text}</p>
      {bikes.length > 0 && (
        <ul className="opmap-shift-bikes" aria-label="涉及车辆">
          {bikes.map((carId) => (
            <li key={carId}>
              <button type="button" className="opmap-link" aria-label={`在地图上看 ${carId}`} onClick={() => onBike(carId)}>
                {carId}
              </button>
            </li>
          ))}
        </ul>
      )}
      <footer>
        {!open && (
          <span className="opmap-weak">
            <CheckOutlined aria-hidden /> {acknowledgedBy} <Time at={acknowledgedAt} /> 知悉
          </span>
        )}
        {open && !may.acknowledge && <span className="opmap-weak">等待接班人员知悉</span>}
        {may.acknowledge && (
          <Button size="small" icon={<CheckOutlined />} loading={read.isPending} onClick={() => read.mutate({ id })}>
            知悉
          </Button>
        )}
        {may.withdraw && (
          <Button
            size="small"
            type="text"
            onClick={() => withdraw({ id }, { act: '撤回记录', name: text.slice(0, 20), consequence: '撤回后其他人看不到这条记录，也不能恢复。' })}
          >
            撤回
          </Button>
        )}
      </footer>
    </li>
  )
}
