import { Formula } from './Formula'
import { percentOf, type Scope, type Share, numberText } from './statistics'

interface SharesProps<Answer> {
  share: Share<Answer>
  answer: Answer
  scope: Scope
}

/** What a whole consists of: a bar of parts, and each with its number below it. */
export function Shares<Answer>({ share, answer, scope }: SharesProps<Answer>) {
  const parts = share.parts(answer)
  const some = parts.some(({ value }) => value > 0)
  return (
    <section className="statistics-part" aria-label={share.title}>
      <header>
        <h2>{share.title}</h2>
        <Formula title={share.title} formula={share.formula} scope={scope} />
      </header>
      {some ? (
        <>
          <div className="share-bar" aria-hidden>
            {parts.map(({ label, color, value }) => value > 0 && <i key={label} style={{ flexGrow: value, backgroundColor: color }} title={label} />)}
          </div>
          <table className="share-table">
            <caption className="sr-only">{share.title}</caption>
            <thead className="sr-only">
              <tr>
                <th scope="col">分档</th>
                <th scope="col">{share.unit ?? '数量'}</th>
                <th scope="col">占比</th>
              </tr>
            </thead>
            <tbody>
              {parts.map(({ label, color, value }) => (
                <tr key={label}>
                  <th scope="row">
                    <i style={{ backgroundColor: color }} />
                    {label}
                  </th>
                  <td className="figure">
                    {numberText(value, share.unit)}
                    {share.unit && <small className="weak">{share.unit}</small>}
                  </td>
                  <td className="figure">{numberText(percentOf(value, parts))}%</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      ) : (
        <p className="weak part-empty">期间没有数据</p>
      )}
    </section>
  )
}
