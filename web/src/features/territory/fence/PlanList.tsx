import { Alert, Button, Input } from 'antd'
import { formatArea } from './fence'
import { ringOf } from './geometry'
import { area_m2 } from './measure'
import { copiedName, NAME_MAX, nameOfPiece, type Plan } from './plan'

interface PlanListProps {
  /** Of the fence itself. */
  name: string
  plan: Plan
  disabled: boolean
  onRename(index: number, name: string): void
  /** This piece stays the fence, and what was the fence is the piece. */
  onSwap(index: number): void
  onDrop(index: number): void
}

/** What else happens when a fence is saved that was split or merged. */
export function PlanList({ name, plan: { pieces, merged }, disabled, onRename, onSwap, onDrop }: PlanListProps) {
  if (pieces.length === 0 && merged.length === 0) return null
  return (
    <div className="fence-plan" role="group" aria-label="保存时还会">
      {pieces.map((piece, index) => (
        <div key={index} className="fence-piece">
          <span className="weak">分出一块（{formatArea(area_m2(ringOf(piece.geometry)))}）</span>
          {piece.id === undefined ? (
            <>
              <Input
                aria-label={`分出的第 ${index + 1} 块的名称`}
                size="small"
                disabled={disabled}
                maxLength={NAME_MAX}
                value={piece.name}
                placeholder={name.trim() ? copiedName(name, index + 2) : '名称'}
                onChange={({ target }) => onRename(index, target.value)}
              />
              <Button size="small" type="link" disabled={disabled} onClick={() => onSwap(index)}>
                与本围栏互换
              </Button>
              <Button size="small" type="link" danger disabled={disabled} onClick={() => onDrop(index)}>
                不要这一块
              </Button>
            </>
          ) : (
            <span>已存为草稿「{nameOfPiece(piece, name, index)}」</span>
          )}
        </div>
      ))}
      {pieces.some(({ id }) => id === undefined) && <p className="weak">保存时分出的部分按相同的规则存为新的草稿</p>}
      {merged.length > 0 && <Alert type="info" showIcon title={`保存后会询问是否停用或删除并入的${merged.map(({ name }) => `「${name}」`).join('')}`} />}
    </div>
  )
}
