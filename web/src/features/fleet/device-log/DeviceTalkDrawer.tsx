import { useQuery } from '@tanstack/react-query'
import { Space } from 'antd'
import { Link } from 'react-router-dom'
import { channelLabels, commandKindLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { type Fact, Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { EMPTY } from '@/kit/format'
import { factsOf } from '@/kit/list/cells'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { Time } from '@/kit/Time'
import { answeredText, type CommandTalk, deviceLog, type DeviceTalk, deviceTalk, flagsText, lifeAddress, type ReportTalk, stateText, talkTag } from './deviceLog'
import '../event.css'

/** The codes of the operation map and of the log of bikes. */
const [MAP, LIFE] = ['0301', '1402'] as const

/** One line of a device's log with all that is in it, and what leads on from it. */
export function DeviceTalkDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(deviceTalk(id))
  const talk = query.data
  return (
    <FormDrawer title={talk ? `${talkTag(talk).label} · ${talk.carId}` : '设备日志'} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="设备日志加载失败" />
      {talk && (
        <>
          <p className="event-content">{talk.content}</p>
          <Facts facts={factsFor(talk)} />
          <Space wrap className="event-links">
            <Permit need={LIFE}>
              <Link to={lifeAddress(talk)}>这一天的车辆日志</Link>
            </Permit>
            <Permit need={MAP}>
              <Link to={`/vehicle/operation-map?carId=${encodeURIComponent(talk.carId)}`}>在地图上查看车辆</Link>
            </Permit>
          </Space>
        </>
      )}
    </FormDrawer>
  )
}

function factsFor(talk: DeviceTalk): Fact[] {
  const facts = factsOf(deviceLog, talk, 'at', 'carId', 'imei')
  if (talk.command) facts.push(...ofCommand(talk.command))
  if (talk.report) facts.push(...ofReport(talk.report))
  if (talk.contact) facts.push({ name: '上一次上报', value: <Time at={talk.contact.lastReportAt ?? null} /> })
  return [...facts, { name: '日志编号', whole: true, value: <span className="figure">{talk.id}</span> }]
}

function ofCommand(command: CommandTalk): Fact[] {
  return [
    { name: '指令', value: labelOf(commandKindLabels, command.kind) + (command.firmware ? ` ${command.firmware}` : '') },
    { name: '指令状态', value: stateText(command) },
    { name: '应答代码', value: command.resultCode ?? EMPTY },
    { name: '通道', value: labelOf(channelLabels, command.channel) },
    { name: '下发人', value: command.by || EMPTY },
    { name: '应答用时', value: answeredText(command) || EMPTY },
    { name: '发出时间', value: <Time at={command.sentAt ?? null} /> },
    { name: '应答时间', value: <Time at={command.ackAt ?? null} /> },
    { name: '原因', whole: true, value: command.reason || EMPTY },
  ]
}

const withUnit = (value: number | null | undefined, unit: string) => (typeof value === 'number' ? `${value} ${unit}`.trim() : EMPTY)

function ofReport(report: ReportTalk): Fact[] {
  const { lat, lng } = report
  const volts = typeof report.voltageMv === 'number' ? report.voltageMv / 1000 : null
  return [
    { name: '电量', value: withUnit(report.socPercent, '%') },
    { name: '电压', value: withUnit(volts, 'V') },
    { name: '信号', value: withUnit(report.gsm, '') },
    { name: '速度', value: withUnit(report.speedKmh, 'km/h') },
    { name: '航向', value: withUnit(report.headingDegrees, '°') },
    { name: '卫星', value: withUnit(report.satellites, '颗') },
    { name: 'HDOP', value: withUnit(report.hdop, '') },
    { name: '位置（WGS-84）', whole: true, value: typeof lat === 'number' && typeof lng === 'number' ? `${lat.toFixed(6)}, ${lng.toFixed(6)}` : '没有定位' },
    { name: '状态', whole: true, value: flagsText(report) || EMPTY },
  ]
}
