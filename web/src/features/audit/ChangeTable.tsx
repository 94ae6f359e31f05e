import { MinusOutlined, PlusOutlined } from '@ant-design/icons'
import type { Change } from './log'

/** What became of a field: each with a word and a sign, so that colour only helps. */
export type Fate = 'added' | 'removed' | 'changed'

export const fateStyle: Readonly<Record<Fate, { sign: string; word: string }>> = {
  added: { sign: '+', word: '新增' },
  removed: { sign: '−', word: '移除' },
  changed: { sign: '~', word: '修改' },
}

export function fateOf({ before, after }: Pick<Change, 'before' | 'after'>): Fate {
  if (before === null) return 'added'
  return after === null ? 'removed' : 'changed'
}

const NOTHING = '（无）'

/** Field by field: what it was and what it became. */
export function ChangeTable({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="weak">这一步没有改变任何字段。</p>
  return (
    <table className="diff-table">
      <thead>
        <tr>
          <th scope="col">字段</th>
          <th scope="col">变更前</th>
          <th scope="col">变更后</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow key={change.field} change={change} />
        ))}
      </tbody>
    </table>
  )
}

function ChangeRow({ change }: { change: Change }) {
  const { label, beforeText, afterText } = change
  const added = change.added ?? []
  const removed = change.removed ?? []
  const fate = fateOf(change)
  const { sign, word } = fateStyle[fate]
  return (
    <>
      <tr className={`diff-${fate}`}>
        <th scope="row">
          {label}
          <span className="diff-fate">
            <b aria-hidden>{sign}</b> {word}
          </span>
        </th>
        <td>{beforeText === '' ? <span className="weak">{NOTHING}</span> : <del>{beforeText}</del>}</td>
        <td>{afterText === '' ? <span className="weak">{NOTHING}</span> : <ins>{afterText}</ins>}</td>
      </tr>
      {added.length + removed.length > 0 && (
        <tr className="diff-items">
          <td colSpan={3}>
            <Items word="移除" sign={<MinusOutlined aria-hidden />} kind="removed" items={removed} />
            <Items word="新增" sign={<PlusOutlined aria-hidden />} kind="added" items={added} />
          </td>
        </tr>
      )}
    </>
  )
}

function Items(props: { word: string; sign: React.ReactNode; kind: 'added' | 'removed'; items: readonly string[] }) {
  if (props.items.length === 0) return null
  return (
    <div className="diff-line">
      <span className="weak">
        {props.word} {props.items.length} 项
      </span>
      <ul>
        {props.items.map((item) => (
          <li key={item} className={`diff-item ${props.kind}`}>
            {props.sign} {item}
          </li>
        ))}
      </ul>
    </div>
  )
}
