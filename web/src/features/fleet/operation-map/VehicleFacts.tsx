import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { chargeLevelLabels, deliveryStateLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { spanText } from '@/kit/format'
import { ink as strongInk, stateStyle, type Palette } from '@/kit/theme'
import { Time } from '@/kit/Time'

import { BatteryCurve } from './BatteryCurve'
import { fencesOf, historyOf } from './queries'
import { useNow } from '@/live/useNow'
import { ageWord, operationWord, positionError_m, ridingWord, lifecycleWord, type Vehicle } from './vehicle'

/** A position older than this is shown in amber, ms. */
const OLD_POSITION_MS = 15 * 60_000
const LOW_PERCENT = 20
const CURVE_MINUTES = 180

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="opmap-fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Where it is, since when that is known, and how far it may be off. */
export function PositionFacts({ vehicle }: { vehicle: Vehicle }) {
  const now = useNow()
  const error = positionError_m(vehicle.hdop)
  if (vehicle.lat === null || vehicle.lng === null) {
    return <p className="opmap-block opmap-weak">还没有收到过位置</p>
  }
  const age = vehicle.gpsAt === null ? null : now - vehicle.gpsAt
  return (
    <dl className="opmap-block opmap-facts three" aria-label="位置">
      <Fact label="位置（WGS-84）">
        {vehicle.lat.toFixed(6)}, {vehicle.lng.toFixed(6)}
      </Fact>
      <Fact label="定位于">
        <span className={age !== null && age > OLD_POSITION_MS ? 'opmap-amber' : undefined}>{age === null ? '未知' : ageWord(age)}</span>
      </Fact>
      <Fact label="误差">{error === null ? '未知' : `约 ${error} 米`}</Fact>
    </dl>
  )
}

/** Charge with its curve, and the states of the bike. */
export function Overview({ vehicle, ink }: { vehicle: Vehicle; ink: Palette }) {
  const history = useQuery({ ...historyOf(vehicle.carId, CURVE_MINUTES), refetchInterval: 60_000 })
  const low = vehicle.soc !== null && vehicle.soc < LOW_PERCENT
  return (
    <>
      <section className="opmap-battery" aria-label="电量">
        <p>
          <b className={low ? 'low' : undefined}>{vehicle.soc ?? '–'}</b>
          <small>{vehicle.soc === null ? '未上报' : '%'}</small>
          <span className="opmap-weak">
            {vehicle.voltageMv === null ? '' : `${(vehicle.voltageMv / 1000).toFixed(1)} V`}
            {vehicle.batteryPresent === false ? ' · 电池不在位' : ''}
          </span>
        </p>
        {history.isPending ? (
          <p className="opmap-weak">正在取电量记录…</p>
        ) : history.isError ? (
          <p className="opmap-weak">电量记录没有取到</p>
        ) : (
          <BatteryCurve points={history.data.points} color={low ? strongInk.warning : stateStyle[0].color} ink={ink} />
        )}
      </section>
      <dl className="opmap-facts">
        <Fact label="骑行状态">{ridingWord(vehicle.ridingState)}</Fact>
        <Fact label="生命周期">{lifecycleWord(vehicle.lifecycle)}</Fact>
        <Fact label="运维状态">{vehicle.operationStates.length === 0 ? '无' : vehicle.operationStates.map(operationWord).join('、')}</Fact>
        <Fact label="闲置">
          <IdleFact vehicle={vehicle} />
        </Fact>
        <Fact label="服务区">{vehicle.areaName || '未分配'}</Fact>
        <Fact label="号牌">{vehicle.plateNo || '无'}</Fact>
        <Fact label="电压方案">{vehicle.voltageScheme?.name ?? '未设置'}</Fact>
        {vehicle.voltageScheme && <SchemeFacts scheme={vehicle.voltageScheme} />}
        <Fact label="最近上报">
          <Time at={vehicle.reportAt} />
        </Fact>
      </dl>
    </>
  )
}

/** What its voltage scheme tells: how far its charge takes it, and the charge that its voltage stands for. */
function SchemeFacts({ scheme }: { scheme: NonNullable<Vehicle['voltageScheme']> }) {
  const { percent, remainingM, level, maxMileageKm } = scheme
  return (
    <>
      <Fact label="剩余里程">
        {remainingM === null ? '未知' : `约 ${(remainingM / 1000).toFixed(1)} 公里（满电 ${maxMileageKm} 公里）`}
        {level !== null && `，${labelOf(chargeLevelLabels, level)}`}
      </Fact>
      <Fact label="方案电量">{percent === null ? '未上报电压' : `${percent}%（按电压推算）`}</Fact>
    </>
  )
}

/** How long nobody uses it, beside those around it. */
function IdleFact({ vehicle }: { vehicle: Vehicle }) {
  const now = useNow()
  const { idleSince, idleBeside } = vehicle
  if (idleSince === null) return '使用中'
  const idle = spanText(now - idleSince)
  if (idleBeside === null) return idle
  return (
    <span className={idleBeside.likelyLost ? 'opmap-amber' : undefined}>
      {idle}，周边 {idleBeside.bikes} 辆平均 {spanText(idleBeside.meanIdleMs)}
      {idleBeside.likelyLost && '，疑似丢失'}
    </span>
  )
}

/** The edition of its area's fences and whether it holds it. */
function FenceFact({ carId }: { carId: string }) {
  const { data, isPending } = useQuery(fencesOf(carId))
  if (!data) return isPending ? '…' : '不下发'
  const { edition, told, state } = data
  const held = told === null ? '未上报' : told === 0 ? '没有' : `尾号 ${told}`
  return `${labelOf(deliveryStateLabels, state)}：应有 ${edition ?? '无'}，车上${held}`
}

const GSM_BEST = 31
const yesNo = (value: boolean | null, yes: string, no: string): string => (value === null ? '未知' : value ? yes : no)

/** What the control unit reports of itself. */
export function DeviceFacts({ vehicle }: { vehicle: Vehicle }) {
  return (
    <dl className="opmap-facts">
      <Fact label="IMEI">{vehicle.imei || '未绑定'}</Fact>
      <Fact label="型号">{vehicle.model ?? '未上报'}</Fact>
      <Fact label="固件">{vehicle.firmware ?? '未上报'}</Fact>
      <Fact label="在线">{vehicle.online ? '在线' : '离线'}</Fact>
      <Fact label="信号">{vehicle.gsm === null ? '未知' : `${vehicle.gsm} / ${GSM_BEST}`}</Fact>
      <Fact label="卫星">{vehicle.satellites === null ? '未知' : `${vehicle.satellites} 颗`}</Fact>
      <Fact label="车锁">{yesNo(vehicle.locked, '已锁', '未锁')}</Fact>
      <Fact label="电门">{yesNo(vehicle.acc, '开', '关')}</Fact>
      <Fact label="设防">{yesNo(vehicle.defend, '已设防', '未设防')}</Fact>
      <Fact label="电池">{yesNo(vehicle.batteryPresent, '在位', '不在位')}</Fact>
      <Fact label="电压">{vehicle.voltageMv === null ? '未知' : `${(vehicle.voltageMv / 1000).toFixed(2)} V`}</Fact>
      <Fact label="围栏版本">
        <FenceFact carId={vehicle.carId} />
      </Fact>
      <Fact label="HDOP">{vehicle.hdop === null ? '未知' : vehicle.hdop.toFixed(1)}</Fact>
    </dl>
  )
}
