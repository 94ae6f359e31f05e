import { formatTime } from '../format'
import { Cards } from './Cards'
import { Rankings } from './Rankings'
import { Shares } from './Shares'
import { type Scope, type Statistics, stretchText } from './statistics'
import { Trend } from './Trend'
import './statistics.css'

interface StatisticsHeadProps<Answer, Point> {
  statistics: Statistics<Answer, Point>
  answer: Answer
  scope: Scope
  /** Opens who is clicked in a ranking. */
  onOpen(id: string): void
}

/** What stands above the rows of a statistics page: what it is of and how new, cards, trend, ranking and shares. */
export function StatisticsHead<Answer, Point>({ statistics, answer, scope, onOpen }: StatisticsHeadProps<Answer, Point>) {
  const { cards, trend, rankings, shares } = statistics
  const { range, before, areas, reckonedAt, liveAt } = scope
  return (
    <div className="statistics">
      <p className="weak statistics-scope" aria-label="统计范围">
        <span className="figure">{stretchText(range)}</span>
        <span className="figure">对比 {stretchText(before)}</span>
        <span>{areas}</span>
        <span className="figure">{reckonedAt === null ? '还没有统计' : `统计至 ${formatTime(reckonedAt)}`}</span>
        {liveAt !== null && <span className="figure">现状 {formatTime(liveAt)}</span>}
      </p>
      <Cards cards={cards} answer={answer} scope={scope} />
      <div className="statistics-grid">
        <Trend trend={trend} answer={answer} scope={scope} />
        <Rankings rankings={rankings} answer={answer} scope={scope} onOpen={onOpen} />
        {shares.map((share) => (
          <Shares key={share.key} share={share} answer={answer} scope={scope} />
        ))}
      </div>
    </div>
  )
}
