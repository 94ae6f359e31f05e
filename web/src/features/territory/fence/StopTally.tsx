import { stopClasses, type StopPreview } from './stops'
import './fence.css'

/** How stops are judged now and would be, by class; what differs stands out. `then` says when it would be so. */
export function StopTally({ of: { before, after }, then }: { of: Pick<StopPreview, 'before' | 'after'>; then: string }) {
  const shown = stopClasses.filter(({ key }) => before[key] + after[key] > 0)
  return (
    <table className="stop-tally">
      <thead>
        <tr>
          <th scope="col">判断</th>
          <th scope="col">现在</th>
          <th scope="col">{then}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ key, label }) => (
          <tr key={key}>
            <th scope="row">{label}</th>
            <td className="figure">{before[key].toLocaleString('zh-CN')}</td>
            <td className="figure">{after[key] === before[key] ? after[key].toLocaleString('zh-CN') : <strong>{after[key].toLocaleString('zh-CN')}</strong>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
