import { Form, Input, InputNumber } from 'antd'
import { command } from '@/api/client'
import { Pair } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { ADDRESS, type Firmware, FIRMWARE_PATH, MD5, PLAIN, SIZE_MAX, stale } from './firmware'

interface FirmwareFormProps {
  /** The package to change; none to add one. */
  firmware?: Firmware
  onSaved(): void
}

const fieldOf = {
  'firmware-taken': 'firmware',
  'firmware-model': 'model',
  'firmware-version': 'firmware',
  'firmware-url': 'url',
  'firmware-md5': 'md5',
  'firmware-size': 'sizeBytes',
  'firmware-note': 'note',
}

interface Fields {
  model: string
  firmware: string
  url: string
  md5: string
  sizeBytes: number | null
  note: string
}

const NOTE_MAX = 200
const URL_MAX = 500
const plain = (message: string) => [{ required: true, message }, { pattern: PLAIN, message: '1 到 32 位字母、数字或 . _ - +' }]

/** Adds or changes a package of firmware; model and version stay as they were. */
export function FirmwareForm({ firmware: one, onSaved }: FirmwareFormProps) {
  const create = useCommand({ run: command.post(FIRMWARE_PATH), stale, done: '固件包已新增', fieldOf })
  const change = useCommand({ run: command.put(FIRMWARE_PATH), stale, done: '固件包已保存', fieldOf })
  const { id, version, model = '', firmware = '', url = '', md5 = '', note = '' } = one ?? {}
  const original: Fields = { model, firmware, url, md5, sizeBytes: one?.sizeBytes ?? null, note }
  const save = (fields: Fields) => {
    const values = { ...fields, sizeBytes: fields.sizeBytes ?? 0 }
    return one ? change.mutateAsync({ ...values, id: one.id, version: one.version }) : create.mutateAsync(values)
  }
  return (
    <RecordForm<Fields> draft={['firmware', id, version]} original={original} fieldOf={fieldOf} onSave={(fields) => save(fields).then(onSaved)}>
      <Pair>
        <TextItem
          name="model"
          label="型号"
          placeholder="如 WH-EC20"
          maxLength={32}
          disabled={one !== undefined}
          extra={one ? '型号和版本不能修改' : '与设备上报的型号一致'}
          rules={plain('请输入型号')}
        />
        <TextItem name="firmware" label="固件版本" placeholder="如 1.3.0" maxLength={32} disabled={one !== undefined} rules={plain('请输入固件版本')} />
      </Pair>
      <TextItem
        name="url"
        label="下载地址"
        placeholder="https://…"
        maxLength={URL_MAX}
        extra="设备从这里下载，需在设备的网络里可以访问"
        rules={[
          { required: true, message: '请输入下载地址' },
          { pattern: ADDRESS, message: '以 https:// 或 http:// 开头，不含空格和中文' },
        ]}
      />
      <TextItem
        name="md5"
        label="MD5"
        placeholder="32 位十六进制字符"
        maxLength={32}
        rules={[
          { required: true, message: '请输入 MD5' },
          { pattern: MD5, message: 'MD5 需 32 位十六进制字符' },
        ]}
      />
      <Form.Item name="sizeBytes" label="大小（字节）" rules={[{ required: true, message: '请输入固件大小' }]}>
        <InputNumber min={1} max={SIZE_MAX} precision={0} style={{ width: '100%' }} placeholder="设备据此核对下载是否完整" />
      </Form.Item>
      <Form.Item name="note" label="说明" rules={[{ max: NOTE_MAX, message: `不超过 ${NOTE_MAX} 个字` }]}>
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={NOTE_MAX} showCount placeholder="这一版改了什么" />
      </Form.Item>
    </RecordForm>
  )
}
