import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { Formula } from './Formula'
import { type Ranking, type Scope, numberText } from './statistics'

interface RankingsProps<Answer> {
  rankings: readonly Ranking<Answer>[]
  answer: Answer
  scope: Scope
  /** Opens who is clicked. */
  onOpen(id: string): void
}

/** Who leads, by one measure at a time. */
export function Rankings<Answer>({ rankings, answer, scope, onOpen }: RankingsProps<Answer>) {
  const [chosen, setChosen] = useState(rankings[0]?.key ?? '')
  const ranking = rankings.find(({ key }) => key === chosen) ?? rankings[0]
  if (!ranking) return null
  const rows = ranking.rows(answer)
  const most = Math.max(...rows.map(({ value }) => value), 1)
  return (
    <section className="statistics-part" aria-label="排行">
      <header>
        <h2>排行</h2>
        <Formula title={ranking.title} formula={ranking.formula} scope={scope} />
        <Segmented
          size="small"
          className="part-tool"
          aria-label="排行依据"
          options={rankings.map(({ key, title }) => ({ value: key, label: title }))}
          value={ranking.key}
          onChange={setChosen}
        />
      </header>
      {rows.length === 0 ? (
        <p className="weak part-empty">期间没有数据</p>
      ) : (
        <ol className="ranking">
          {rows.map(({ id, name, value }) => (
            <li key={id}>
              <i style={{ width: `${(value / most) * 100}%` }} />
              <Button type="link" size="small" onClick={() => onOpen(id)}>
                {name}
              </Button>
              <span className="figure">
                {numberText(value, ranking.unit)}
                {ranking.unit && <small className="weak">{ranking.unit}</small>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
