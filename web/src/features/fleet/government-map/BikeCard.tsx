import { CloseOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'

import { failureText } from '@/api/client'
import { formatTime } from '@/kit/format'
import { StateTag } from '@/kit/StateTag'

import { vehicleOf } from '../operation-map/queries'

const EVERY_MS = 5_000

/** What a city's office may know of one bike: which it is, in which state, how charged, and when it was there. */
export function BikeCard({ carId, onClose }: { carId: string; onClose: () => void }) {
  // The topic of a bike tells what people did with it, and is not theirs who only look.
  const asked = useQuery({ ...vehicleOf(carId), refetchInterval: EVERY_MS })
  const vehicle = asked.data ?? null
  return (
    <section className="opmap-rail gov-bike" aria-label={`车辆 ${carId}`}>
      <header>
        <h2>{carId}</h2>
        <Button type="text" size="small" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
      </header>
      {vehicle === null ? (
        <p className="opmap-weak">{asked.isError ? failureText(asked.error) : '…'}</p>
      ) : (
        <>
          <p>
            <StateTag state={vehicle.state} /> {vehicle.areaName}
          </p>
          <p>
            电量 {vehicle.soc === null ? '未知' : `${vehicle.soc}%`} · {vehicle.online ? '在线' : '离线'}
          </p>
          <p className="opmap-weak">{vehicle.gpsAt === null ? '还没有定位' : `${formatTime(vehicle.gpsAt)} 定位`}</p>
        </>
      )}
    </section>
  )
}
