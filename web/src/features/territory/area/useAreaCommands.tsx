import { App, Input } from 'antd'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type Area, AREA_PATH, changeArea, CLOSED, fieldOf, handOverArea, NOTICE_MAX, OPEN, setAreaState, SUSPENDED } from './area'

const stale = [[AREA_PATH]] as const

export const useChangeArea = () => useCommand({ run: changeArea, stale, done: '服务区已保存', fieldOf })
export const useHandOver = () => useCommand({ run: handOverArea, stale, done: '服务区已移交' })

/** Whom an opening concerns. */
export function openConsequence(area: Pick<Area, 'state' | 'vehicleCount'>): string {
  const bikes = area.vehicleCount > 0 ? `区内 ${area.vehicleCount.toLocaleString()} 辆车` : '以后上架到区内的车'
  return area.state === SUSPENDED ? `停运公告撤下，${bikes}立即恢复可租。` : `${bikes}立即可以被骑行用户租用。`
}

/** Opening, suspending and closing, each after a question. */
export function useAreaActs() {
  const ask = useDangerousConfirm()
  const { modal } = App.useApp()
  const state = useCommand({ run: setAreaState, stale, done: '服务区状态已更新' })
  return {
    open(area: Area) {
      ask({
        act: area.state === SUSPENDED ? '恢复运营' : '开通服务区',
        name: area.name,
        consequence: openConsequence(area),
        onConfirm: () => state.mutateAsync({ id: area.id, state: OPEN }),
      })
    },
    suspend(area: Area) {
      let notice = ''
      const ready = () => ({ danger: true, disabled: notice.trim() === '' })
      const dialog = modal.confirm({
        title: `暂停服务「${area.name}」？`,
        content: (
          <>
            <p>区内 {area.vehicleCount.toLocaleString()} 辆车立即不可租，正在进行的骑行不受影响。公告会告诉骑行用户原因：</p>
            <Input.TextArea
              aria-label="停运公告"
              placeholder="例如：受台风影响，今日 18:00 起暂停服务"
              maxLength={NOTICE_MAX}
              showCount
              autoSize={{ minRows: 2, maxRows: 4 }}
              onChange={(event) => {
                notice = event.target.value
                dialog.update((shown) => ({ ...shown, okButtonProps: ready() }))
              }}
            />
          </>
        ),
        okText: '暂停服务',
        okButtonProps: ready(),
        cancelText: '取消',
        // A refused act has been said by the command; the question then closes all the same.
        onOk: () => state.mutateAsync({ id: area.id, state: SUSPENDED, notice: notice.trim() }).catch(() => undefined),
      })
    },
    close(area: Area) {
      ask({
        act: '关停服务区',
        name: area.name,
        consequence: '关停后不能恢复：骑行用户不能再在此用车，名称可以重新使用。区内还有已上架车辆时不能关停。',
        onConfirm: () => state.mutateAsync({ id: area.id, state: CLOSED }),
      })
    },
  }
}
