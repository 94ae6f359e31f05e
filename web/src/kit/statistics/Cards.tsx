import { ArrowDownOutlined, ArrowUpOutlined } from '@ant-design/icons'
import { Formula } from './Formula'
import { type Card, changeOf, type Figure, type Scope, written } from './statistics'

interface CardsProps<Answer> {
  cards: readonly Card<Answer>[]
  answer: Answer
  scope: Scope
}

/** The figures above all others, each with what it was before and where it comes from. */
export function Cards<Answer>({ cards, answer, scope }: CardsProps<Answer>) {
  return (
    <ul className="figure-cards" aria-label="指标">
      {cards.map(({ key, title, unit, formula, figure }) => {
        const told = figure(answer)
        const live = typeof told === 'number'
        return (
          <li key={key}>
            <span className="figure-title">
              {title}
              <Formula title={title} formula={formula} scope={scope} live={live} />
            </span>
            <strong className="figure">
              {written(live ? told : told.now, unit)}
              {unit && unit !== '%' && <small>{unit}</small>}
            </strong>
            {live ? <span className="weak">现在</span> : <Against figure={told} unit={unit} />}
          </li>
        )
      })}
    </ul>
  )
}

/** Up or down against the time before; neither is good or bad by itself, so neither has a colour. */
function Against({ figure, unit }: { figure: Figure; unit: string | undefined }) {
  const change = changeOf(figure, unit)
  if (change === null) return <span className="weak">{figure.now === null ? '期间没有数据' : '前期没有数据'}</span>
  return (
    <span className="weak figure">
      {change.way > 0 && <ArrowUpOutlined aria-hidden />}
      {change.way < 0 && <ArrowDownOutlined aria-hidden />}
      {change.text}
    </span>
  )
}
