import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Select } from 'antd'
import { type About, firmwareChoices, fitting, sizeText } from './firmware'

interface FirmwareItemProps {
  /** The bikes that are to be upgraded. */
  bikes: readonly About[]
  value: string | undefined
  onChange(id: string): void
}

/** The package that bikes are upgraded to: of those that fit one of them at least. */
export function FirmwareItem({ bikes, value, onChange }: FirmwareItemProps) {
  const query = useQuery(firmwareChoices)
  const choices = fitting(query.data ?? [], bikes)
  const chosen = choices.find((choice) => choice.package.id === value)
  const rest = typeof chosen?.bikes === 'number' ? bikes.length - chosen.bikes : 0
  const none = query.isError ? '固件包加载失败，请稍后再试' : '没有适合这些车辆型号、且版本不同的固件包；可在“生产信息 → 设备升级”新增'
  return (
    <>
      <Form.Item label="固件包" htmlFor="keep-firmware" required extra="骑行或临停中、电量低于 30%、型号不符或已是该版本的车辆不升级，逐辆说明原因">
        <Select
          id="keep-firmware"
          showSearch={{ optionFilterProp: 'label' }}
          placeholder="只列出适合所选车辆的固件包"
          loading={query.isFetching}
          notFoundContent={query.isFetching ? '加载中…' : none}
          value={value ?? null}
          onChange={(id) => id !== null && onChange(id)}
          options={choices.map(({ package: { id, model, firmware, sizeBytes }, bikes: count }) => ({
            value: id,
            label: `${model} ${firmware}（${sizeText(sizeBytes)}）${bikes.length > 1 && count !== null ? `，适合 ${count} 辆` : ''}`,
          }))}
        />
      </Form.Item>
      {!query.isFetching && choices.length === 0 && <Alert type="info" showIcon title={none} />}
      {rest > 0 && <Alert type="info" showIcon title={`另有 ${rest} 辆型号不符、已是该版本或尚未上报型号，不会升级`} />}
    </>
  )
}
