import { QuestionCircleOutlined } from '@ant-design/icons'
import { Button, Popover } from 'antd'
import { formatTime } from '../format'
import { type Scope, stretchText } from './statistics'

interface FormulaProps {
  title: string
  formula: string
  scope: Scope
  /** It is of now, not of the range. */
  live?: boolean
}

/** 口径: where a figure comes from, of what time and whose, and how new it is. */
export function Formula({ title, formula, scope, live = false }: FormulaProps) {
  const { range, before, areas, reckonedAt, liveAt } = scope
  return (
    <Popover
      trigger="click"
      title={`${title} · 口径`}
      content={
        <div className="formula">
          <p>{formula}</p>
          <dl>
            <dt>时间</dt>
            <dd className="figure">{live ? '现在' : stretchText(range)}</dd>
            {!live && (
              <>
                <dt>对比</dt>
                <dd className="figure">{stretchText(before)}</dd>
              </>
            )}
            <dt>范围</dt>
            <dd>{areas}</dd>
            <dt>数据截至</dt>
            <dd className="figure">{formatTime(live ? liveAt : reckonedAt)}</dd>
          </dl>
        </div>
      }
    >
      <Button type="text" size="small" className="formula-button" aria-label={`${title}的口径`} icon={<QuestionCircleOutlined aria-hidden />} />
    </Popover>
  )
}
