import { useQuery } from '@tanstack/react-query'
import { command } from '@/api/client'
import { factsOf } from '@/kit/list/cells'
import { ListPage } from '@/kit/list/ListPage'
import { useSwitch } from '@/kit/list/useSwitch'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { firmwareList } from './description'
import { type Firmware, FIRMWARE_PATH, firmwareInfo, stale } from './firmware'
import { FirmwareForm } from './FirmwareForm'

const setState = command.post(`${FIRMWARE_PATH}/state`)

const called = ({ model, firmware }: Firmware) => `${model} ${firmware}`

/** 设备升级: packages that devices may be upgraded to. */
export default function FirmwareListPage() {
  const { rowAction, batchActions } = useSwitch<Firmware>({
    noun: '固件包',
    counter: '个固件包',
    done: '固件包状态已更新',
    stale,
    keyOf: ({ id }) => id,
    called,
    consequence: (_, enable) => (enable ? '启用后可以在设备监控里选用。' : '停用后不能再选用；已经下发的升级不会撤回。'),
    switchOne: (id, state, options) => setState({ id, state }, options),
    switchMany: (ids, state, options) => setState({ ids, state }, options),
  })
  return (
    <ListPage<Firmware>
      description={firmwareList}
      add={{ text: '新增固件包', form: (close) => <FirmwareForm onSaved={close} /> }}
      editable
      rowActions={(row) => [rowAction(row)]}
      batchActions={batchActions}
      drawer={(id, close) => <FirmwareDrawer id={id} onClose={close} />}
    />
  )
}

/** Shows a package and changes it. */
function FirmwareDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(firmwareInfo(id))}
      category="firmware"
      words={{ untitled: '固件包详情', failure: '固件包加载失败', subject: '这个固件包' }}
      title={called}
      facts={(row) => factsOf(firmwareList, row, 'state', 'sizeBytes', 'createdAt', 'updatedAt')}
      onClose={onClose}
    >
      {(row) => <FirmwareForm firmware={row} onSaved={onClose} />}
    </RecordDrawer>
  )
}
