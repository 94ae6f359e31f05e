import { evidenceKindLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { type EvidencePart, pullOf } from './returnReview'
import './return-review.css'

interface EvidenceProps {
  parts: readonly EvidencePart[]
  /** That a penalty is due, percent. */
  certainty_percent: number
}

/** Each evidence with its pull: to the left for the rider, to the right for a penalty. */
export function Evidence({ parts, certainty_percent }: EvidenceProps) {
  return (
    <section aria-label="还车证据">
      <p className="return-certainty">
        扣费确定度 <strong className="figure">{certainty_percent}%</strong>
        <span className="weak"> 每条证据向左有利于用户，向右支持扣费；只有一项支持时不超过 98%</span>
      </p>
      <ul className="return-evidence">
        {parts.map((part) => {
          const pull = pullOf(part)
          const share = `${Math.abs(pull) * 50}%`
          return (
            <li key={part.kind}>
              <span className="return-kind">{labelOf(evidenceKindLabels, part.kind)}</span>
              <span className="return-pull" role="img" aria-label={pull === 0 ? '不作依据' : pull > 0 ? '支持扣费' : '有利于用户'}>
                <i className={pull > 0 ? 'return-against' : 'return-for'} style={pull > 0 ? { left: '50%', width: share } : { right: '50%', width: share }} />
              </span>
              <span className="return-words">{part.words}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
