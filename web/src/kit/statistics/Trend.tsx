import { BarChartOutlined, TableOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { Formula } from './Formula'
import { pointName, type Scope, type Statistics, numberText } from './statistics'

// The charts come with the first page that draws one.
const TrendChart = lazy(() => import('./TrendChart'))

interface TrendProps<Answer, Point> {
  trend: Statistics<Answer, Point>['trend']
  answer: Answer
  scope: Scope
}

/** How figures went on: as lines, or as the table behind them. */
export function Trend<Answer, Point>({ trend, answer, scope }: TrendProps<Answer, Point>) {
  const [asTable, setAsTable] = useState(false)
  const points = trend.points(answer)
  const names = points.map((point) => pointName(trend.at(point), trend.byHour(answer)))
  const { lines } = trend
  const formula = lines.map((line) => `${line.title}：${line.formula}`).join('\n')
  return (
    <section className="statistics-part trend" aria-label={trend.title}>
      <header>
        <h2>{trend.title}</h2>
        <Formula title={trend.title} formula={formula} scope={scope} />
        <Button
          type="text"
          size="small"
          className="part-tool"
          aria-pressed={asTable}
          icon={asTable ? <BarChartOutlined aria-hidden /> : <TableOutlined aria-hidden />}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? '看图' : '看表'}
        </Button>
      </header>
      {points.length === 0 ? (
        <p className="weak part-empty">期间没有数据</p>
      ) : asTable ? (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keyboard
        <div className="trend-table" tabIndex={0} role="region" aria-label={`${trend.title}数据`}>
          <table>
            <thead>
              <tr>
                <th scope="col">时间</th>
                {lines.map(({ key, title, unit }) => (
                  <th key={key} scope="col">
                    {title}
                    {unit && `（${unit}）`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map((point, index) => (
                <tr key={names[index]}>
                  <th scope="row" className="figure">
                    {names[index]}
                  </th>
                  {lines.map((line) => (
                    <td key={line.key} className="figure">
                      {numberText(line.value(point), line.unit)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : (
        <Suspense fallback={<Skeleton active paragraph={{ rows: 5 }} />}>
          <TrendChart
            label={`${trend.title}：${lines.map(({ title }) => title).join('、')}，${names[0] ?? ''} 至 ${names.at(-1) ?? ''}；「看表」列出每个数`}
            names={names}
            lines={lines.map(({ title, unit = '', percent = false, value }) => ({ title, unit, percent, values: points.map(value) }))}
          />
        </Suspense>
      )}
    </section>
  )
}
