import { command } from '@/api/client'
import type { RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Area, AREA_PATH, CLOSED, closeFault, handOverFault, OPEN, openFault, stale, SUSPENDED } from './area'

/** Whom an opening concerns. */
export function openConsequence(area: Pick<Area, 'state' | 'vehicleCount'>): string {
  const bikes = area.vehicleCount > 0 ? `区内 ${area.vehicleCount.toLocaleString()} 辆车` : '以后上架到区内的车'
  return area.state === SUSPENDED ? `停运公告撤下，${bikes}立即恢复可租。` : `${bikes}立即可以被骑行用户租用。`
}

/** What may be done with an area; opening and closing after a question, suspending and handing over in a dialog. */
export function useAreaActs(onHandOver: (area: Area) => void, onStop: (area: Area) => void): (area: Area) => RowAction[] {
  const setState = useAskedCommand({ run: command.post(`${AREA_PATH}/state`), stale, done: '服务区状态已更新' })
  const act = (key: string, label: string, fault: string | null, onRun: () => void): RowAction => ({
    key,
    label,
    danger: key === 'close',
    unavailable: fault ?? undefined,
    onRun,
  })
  return (area) => {
    const { id, name, state, stopBeginAt } = area
    const suspended = state === SUSPENDED
    const open = () => setState({ id, state: OPEN }, { act: suspended ? '恢复运营' : '开通服务区', name, consequence: openConsequence(area) })
    const suspend = () => onStop(area)
    const callOff = () => setState({ id, state: OPEN }, { act: '取消停运安排', name, consequence: '到时不再停运，骑行用户继续用车。' })
    const close = () => {
      const consequence = '关停后不能恢复：骑行用户不能再在此用车，名称可以重新使用。区内还有已上架车辆时不能关停。'
      setState({ id, state: CLOSED }, { act: '关停服务区', name, consequence })
    }
    return [
      state === OPEN ? act('suspend', '暂停', null, suspend) : act('open', suspended ? '恢复' : '开通', openFault(area), open),
      ...(suspended ? [act('stop', '修改停运', null, suspend)] : []),
      ...(state === OPEN && stopBeginAt !== null ? [act('call-off', '取消停运安排', null, callOff)] : []),
      act('hand-over', '移交给其他代理', handOverFault(area), () => onHandOver(area)),
      act('close', '关停', closeFault(area), close),
    ]
  }
}
