import type { ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { type Firmware, FIRMWARE_PATH } from './firmware'

export const firmwareList: ListDescription<Firmware> = {
  id: 'firmware',
  title: '设备升级',
  purpose: '中控可以升级到的固件包；启用的固件包在“设备监控”里选用，逐辆下发给型号相符的车辆。',
  path: FIRMWARE_PATH,
  exported: true,
  table: 'firmware',
  rowKey: (row) => row.id,
  emptyText: '还没有固件包：先新增一个（型号与设备上报的一致），再到“设备监控”选车升级',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '型号、版本或说明' },
    { kind: 'text', name: 'model', label: '型号', placeholder: '完整型号，如 WH-EC20' },
    enabledFilter,
  ],
  columns: [
    { key: 'model', title: '型号', width: 130, strong: true, text: (row) => row.model },
    { key: 'firmware', title: '固件版本', width: 110, text: (row) => row.firmware },
    enabledColumn(),
    { kind: 'count', key: 'sizeBytes', title: '大小（字节）', value: (row) => row.sizeBytes },
    { key: 'note', title: '说明', width: 200, text: (row) => row.note },
    { key: 'md5', title: 'MD5', width: 270, text: (row) => row.md5 },
    { key: 'url', title: '下载地址', width: 280, text: (row) => row.url },
    { kind: 'time', key: 'updatedAt', title: '更新时间', value: (row) => row.updatedAt },
    { kind: 'time', key: 'createdAt', title: '新增时间', optional: true, value: (row) => row.createdAt },
    { key: 'id', title: '固件包编号', width: 170, optional: true, text: (row) => row.id },
  ],
}
