import { InboxOutlined } from '@ant-design/icons'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, App, Checkbox, Form, InputNumber, Modal, Progress, Radio, Select, Skeleton, Upload } from 'antd'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { areasOf } from '@/kit/areaChoices'
import { TOO_MANY } from '@/kit/jobs/jobs'
import { startJob } from '@/kit/jobs/store'
import { type Datum, toWgs84 } from '@/map/datum'
import { type FenceType, type FenceTypes, stale, typeLabels } from '../fence'
import { apart, type Columns, type Fault, guessColumns, type Reading, readTable } from './drawings'
import { FaultList } from './FaultList'
import { type Contents, contentsOf, whyUnreadable } from './readFile'
import { type Outcome, saidOf, send, type Terms } from './send'
import '../fence.css'

const ImportMap = lazy(() => import('./ImportMap'))

const DATUMS = [
  { value: 'wgs84', label: 'WGS-84（GPS、天地图、OpenStreetMap）' },
  { value: 'gcj02', label: 'GCJ-02（高德、腾讯）' },
  { value: 'bd09', label: 'BD-09（百度）' },
]
const COLUMN_LABELS: Readonly<Record<keyof Columns, string>> = { name: '名称', geometry: '边界', capacity: '停放上限', remark: '备注' }

interface Chosen {
  file: string
  contents: Contents
  columns: Columns
}

interface Fields {
  type: FenceType
  opAreaId: string
  datum: Datum
  draft: boolean
  confirmOverlap: boolean
  capacity: number
  bufferM: number
}

type Check = { kind: 'none' } | { kind: 'running'; done: number; total: number } | { kind: 'failed'; why: string } | { kind: 'done'; outcome: Outcome }

/** What the file says by these columns; names that repeat are told. */
function readingOf({ contents, columns }: Chosen): Reading {
  return apart(contents.kind === 'table' ? readTable(contents.rows, columns) : contents.reading)
}

/** Brings fences from a file: chosen, looked at by the server without drawing any, and drawn as a job. */
export function ImportDialog({ types, onClose }: { types: FenceTypes; onClose(): void }) {
  const { message } = App.useApp()
  const client = useQueryClient()
  const areas = useQuery(areasOf([]))
  const [form] = Form.useForm<Fields>()
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [unreadable, setUnreadable] = useState<string | null>(null)
  const [check, setCheck] = useState<Check>({ kind: 'none' })
  const [shown, setShown] = useState<Fault | null>(null)
  const stop = useRef<AbortController | null>(null)
  const areaId = Form.useWatch('opAreaId', form)
  const datum = Form.useWatch('datum', form) ?? 'wgs84'
  const type = Form.useWatch('type', form) ?? types[0]
  const label = types.length === 1 ? typeLabels[types[0]] : '围栏'
  const reading = useMemo(() => chosen && readingOf(chosen), [chosen])
  const place = useMemo(() => (corner: readonly number[]) => toWgs84(datum, corner), [datum])
  const count = reading?.drawings.length ?? 0
  const faults = useMemo(() => {
    const read = (reading?.faults ?? []).map((fault) => ({ ...fault, spot: fault.spot && place(fault.spot) }))
    return [...read, ...(check.kind === 'done' ? check.outcome.faults : [])].toSorted((a, b) => a.place - b.place)
  }, [reading, check, place])

  const forget = () => {
    stop.current?.abort()
    setCheck({ kind: 'none' })
    setShown(null)
  }
  const choose = async (file: File) => {
    forget()
    setUnreadable(null)
    try {
      const contents = await contentsOf(file)
      const titles = contents.kind === 'table' ? contents.rows[0]! : []
      setChosen({ file: file.name, contents, columns: guessColumns(titles) })
    } catch (error) {
      setChosen(null)
      setUnreadable(whyUnreadable(error))
    }
  }
  const terms = (fields: Fields): Terms => ({ ...fields, type })
  const look = async (fields: Fields) => {
    if (!reading) return
    forget()
    const controller = new AbortController()
    stop.current = controller
    setCheck({ kind: 'running', done: 0, total: count })
    try {
      const report = (done: number, total: number | null) => setCheck({ kind: 'running', done, total: total ?? count })
      const outcome = await send(reading.drawings, terms(fields), true, { report, signal: controller.signal })
      setCheck({ kind: 'done', outcome })
    } catch (error) {
      if (!controller.signal.aborted) setCheck({ kind: 'failed', why: whyUnreadable(error) })
    }
  }
  const draw = (fields: Fields) => {
    if (!reading || !chosen || check.kind !== 'done') return
    // What the check refused is not sent again.
    const refused = new Set(check.outcome.faults.map((fault) => fault.geometry))
    const drawings = reading.drawings.filter(({ geometry }) => !refused.has(geometry))
    const begun = startJob({
      key: `import:${fields.opAreaId}`,
      title: `导入 ${drawings.length.toLocaleString('zh-CN')} 个${label}`,
      otherwise: '导入失败',
      run: async (work) => {
        const outcome = await send(drawings, terms(fields), false, work)
        await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
        const text = saidOf(outcome, fields.draft)
        if (outcome.faults.length === 0) return { kind: 'success', text }
        return { kind: 'warning', text, details: <FaultList faults={outcome.faults} file={chosen.file} /> }
      },
    })
    if (begun) onClose()
    else void message.warning(TOO_MANY)
  }
  const may = check.kind === 'done' ? check.outcome.made : 0
  return (
    <Modal
      open
      title={`导入${label}`}
      width={920}
      cancelText="取消"
      okText={check.kind === 'done' ? `导入 ${may.toLocaleString('zh-CN')} 个` : '检查'}
      okButtonProps={{ disabled: count === 0 || (check.kind === 'done' && may === 0), loading: check.kind === 'running' }}
      onOk={() => form.submit()}
      onCancel={() => {
        forget()
        onClose()
      }}
      destroyOnHidden
    >
      <Upload.Dragger
        accept=".geojson,.json,.kml,.csv,.txt"
        maxCount={1}
        showUploadList={false}
        beforeUpload={(file) => {
          void choose(file)
          return false
        }}
      >
        <p className="ant-upload-drag-icon">
          <InboxOutlined />
        </p>
        <p>{chosen ? `${chosen.file}：${count.toLocaleString('zh-CN')} 个围栏` : '点击选择文件，或把文件拖到这里'}</p>
        <p className="weak">GeoJSON、KML 或 CSV（UTF-8），最多 20,000 个；多个部分的围栏会拆开，有洞的会指出</p>
      </Upload.Dragger>
      {unreadable && <Alert className="import-part" type="error" showIcon title={unreadable} />}
      {chosen?.contents.kind === 'table' && (
        <TableColumns
          titles={chosen.contents.rows[0]!}
          columns={chosen.columns}
          withCapacity={type === 'parking'}
          onChange={(columns) => {
            forget()
            setChosen({ ...chosen, columns })
          }}
        />
      )}
      <Form<Fields>
        form={form}
        className="import-part import-terms"
        layout="vertical"
        initialValues={{ type: types[0], datum: 'wgs84', draft: false, confirmOverlap: false, capacity: 50, bufferM: 10 }}
        onValuesChange={forget}
        onFinish={(fields) => (check.kind === 'done' ? draw(fields) : void look(fields))}
      >
        {types.length > 1 && (
          <Form.Item name="type" label="类型" rules={[{ required: true }]}>
            <Select options={types.map((value) => ({ value, label: typeLabels[value] }))} />
          </Form.Item>
        )}
        <Form.Item name="opAreaId" label="服务区" rules={[{ required: true, message: '请选择服务区' }]}>
          <Select
            showSearch={{ optionFilterProp: 'label' }}
            placeholder="围栏都在哪个服务区"
            loading={areas.isLoading}
            options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Form.Item>
        <Form.Item name="datum" label="文件的坐标系">
          <Select options={DATUMS} />
        </Form.Item>
        {type === 'parking' && (
          <>
            <Form.Item name="capacity" label="停放上限" extra="文件没有写明时" rules={[{ required: true, message: '请输入停放上限' }]}>
              <InputNumber min={0} max={10_000} precision={0} suffix="辆" style={{ width: '100%' }} />
            </Form.Item>
            <Form.Item name="bufferM" label="缓冲距离" rules={[{ required: true, message: '请输入缓冲距离' }]}>
              <InputNumber min={0} max={50} suffix="米" style={{ width: '100%' }} />
            </Form.Item>
          </>
        )}
        <Form.Item name="draft" label="导入后" required>
          <Radio.Group
            options={[
              { value: false, label: '立即生效' },
              { value: true, label: '存为草稿' },
            ]}
          />
        </Form.Item>
        {type !== 'custom' && (
          <Form.Item name="confirmOverlap" label="重叠" required valuePropName="checked">
            <Checkbox>{type === 'parking' ? '可以与禁停、禁行区重叠' : '可以与停车区重叠'}</Checkbox>
          </Form.Item>
        )}
      </Form>
      {check.kind === 'running' && (
        <Progress percent={Math.floor((check.done / Math.max(check.total, 1)) * 100)} aria-label="检查的进度" />
      )}
      {check.kind === 'failed' && <Alert type="error" showIcon title={check.why} />}
      {check.kind === 'done' && <Checked outcome={check.outcome} faults={faults.length} />}
      {reading && faults.length > 0 && <FaultList faults={faults} file={chosen?.file ?? ''} onShow={setShown} />}
      {reading && areaId && (
        <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
          <ImportMap areaId={areaId} drawings={reading.drawings} faults={faults} place={place} shown={shown} />
        </Suspense>
      )}
    </Modal>
  )
}

function Checked({ outcome: { made, same }, faults }: { outcome: Outcome; faults: number }) {
  const said = [`可以导入 ${made.toLocaleString('zh-CN')} 个`]
  if (same > 0) said.push(`${same.toLocaleString('zh-CN')} 个已经存在，会跳过`)
  if (faults > 0) said.push(`${faults.toLocaleString('zh-CN')} 个不能导入，见下表`)
  return <Alert className="import-part" type={faults > 0 ? 'warning' : 'success'} showIcon title={`检查完成：${said.join('，')}`} />
}

interface TableColumnsProps {
  titles: readonly string[]
  columns: Columns
  withCapacity: boolean
  onChange(columns: Columns): void
}

/** Which column of the table is what. */
function TableColumns({ titles, columns, withCapacity, onChange }: TableColumnsProps) {
  const asked = (Object.keys(COLUMN_LABELS) as (keyof Columns)[]).filter((what) => what !== 'capacity' || withCapacity)
  const options = titles.map((title, value) => ({ value, label: title.trim() || `第 ${value + 1} 列` }))
  return (
    <div className="import-part import-columns">
      {asked.map((what) => {
        const needed = what === 'name' || what === 'geometry'
        return (
          <label key={what}>
            <span>{COLUMN_LABELS[what]}列</span>
            <Select
              aria-label={`${COLUMN_LABELS[what]}列`}
              status={needed && columns[what] < 0 ? 'error' : ''}
              value={columns[what]}
              options={[...(needed ? [] : [{ value: -1, label: '没有' }]), ...options]}
              onChange={(value) => onChange({ ...columns, [what]: value })}
            />
          </label>
        )
      })}
    </div>
  )
}
