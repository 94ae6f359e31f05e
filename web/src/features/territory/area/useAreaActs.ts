import { command } from '@/api/client'
import type { RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Area, AREA_PATH, CLOSED, closeFault, handOverFault, OPEN, openFault, stale, SUSPENDED } from './area'

const notice = { label: '停运公告', placeholder: '例如：受台风影响，今日 18:00 起暂停服务', max: 200 }

/** Whom an opening concerns. */
export function openConsequence(area: Pick<Area, 'state' | 'vehicleCount'>): string {
  const bikes = area.vehicleCount > 0 ? `区内 ${area.vehicleCount.toLocaleString()} 辆车` : '以后上架到区内的车'
  return area.state === SUSPENDED ? `停运公告撤下，${bikes}立即恢复可租。` : `${bikes}立即可以被骑行用户租用。`
}

/** What may be done with an area; opening, suspending and closing after a question, handing over in a dialog. */
export function useAreaActs(onHandOver: (area: Area) => void): (area: Area) => RowAction[] {
  const setState = useAskedCommand({ run: command.post(`${AREA_PATH}/state`), stale, done: '服务区状态已更新' })
  const act = (key: string, label: string, fault: string | null, onRun: () => void): RowAction => ({
    key,
    label,
    danger: key === 'close',
    unavailable: fault ?? undefined,
    onRun,
  })
  return (area) => {
    const { id, name, state, vehicleCount } = area
    const suspended = state === SUSPENDED
    const open = () => setState({ id, state: OPEN }, { act: suspended ? '恢复运营' : '开通服务区', name, consequence: openConsequence(area) })
    const suspend = () => {
      const consequence = `区内 ${vehicleCount.toLocaleString()} 辆车立即不可租，正在进行的骑行不受影响。公告会告诉骑行用户原因：`
      setState((told) => ({ id, state: SUSPENDED, notice: told }), { act: '暂停服务', name, consequence, reason: notice })
    }
    const close = () => {
      const consequence = '关停后不能恢复：骑行用户不能再在此用车，名称可以重新使用。区内还有已上架车辆时不能关停。'
      setState({ id, state: CLOSED }, { act: '关停服务区', name, consequence })
    }
    return [
      state === OPEN ? act('suspend', '暂停', null, suspend) : act('open', suspended ? '恢复' : '开通', openFault(area), open),
      act('hand-over', '移交给其他代理', handOverFault(area), () => onHandOver(area)),
      act('close', '关停', closeFault(area), close),
    ]
  }
}
