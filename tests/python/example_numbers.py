"""Prints `REGION +NUMBER` for the example mobile number of every region libphonenumber knows, in E.164."""

import phonenumbers
from phonenumbers import PhoneNumberFormat, PhoneNumberType

for region in sorted(phonenumbers.SUPPORTED_REGIONS):
    number = phonenumbers.example_number_for_type(region, PhoneNumberType.MOBILE)
    if number is not None:
        print(region, phonenumbers.format_number(number, PhoneNumberFormat.E164))
