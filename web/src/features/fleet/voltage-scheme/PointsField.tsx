import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, InputNumber } from 'antd'
import { SchemeCurve } from './SchemeCurve'
import { POINTS_MAX, POINTS_MIN, type PointTyped } from './voltageScheme'
import './voltageScheme.css'

interface PointsFieldProps {
  value?: readonly PointTyped[]
  onChange?(points: readonly PointTyped[]): void
}

const MV_MAX = 200_000

/** The points of a curve, each with its voltage and charge, and the curve that they make. */
export function PointsField({ value: points = [], onChange }: PointsFieldProps) {
  const put = (at: number, change: Partial<PointTyped>) => onChange?.(points.map((point, index) => (index === at ? { ...point, ...change } : point)))
  return (
    <div className="scheme-points">
      <table aria-label="电压电量表">
        <thead>
          <tr>
            <th scope="col">点</th>
            <th scope="col">电压（毫伏）</th>
            <th scope="col">电量（%）</th>
            <th scope="col" aria-label="操作" />
          </tr>
        </thead>
        <tbody>
          {points.map(({ voltageMv, percent }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- a point is known by its place alone
            <tr key={at}>
              <td>{at + 1}</td>
              <td>
                <InputNumber aria-label={`第 ${at + 1} 点电压`} min={0} max={MV_MAX} precision={0} step={100} value={voltageMv} onChange={(typed) => put(at, { voltageMv: typed })} />
              </td>
              <td>
                <InputNumber aria-label={`第 ${at + 1} 点电量`} min={0} max={100} precision={0} value={percent} onChange={(typed) => put(at, { percent: typed })} />
              </td>
              <td>
                <Button
                  type="text"
                  icon={<DeleteOutlined />}
                  aria-label={`删除第 ${at + 1} 点`}
                  disabled={points.length <= POINTS_MIN}
                  onClick={() => onChange?.(points.filter((_, index) => index !== at))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button icon={<PlusOutlined />} disabled={points.length >= POINTS_MAX} onClick={() => onChange?.([...points, { voltageMv: null, percent: null }])}>
        添加一个点
      </Button>
      <SchemeCurve points={points} />
    </div>
  )
}
